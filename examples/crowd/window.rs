//! A window that shows the crowd as time goes on. Escape closes it.

use std::sync::Arc;
use std::time::Instant;

use wgpu::CurrentSurfaceTexture;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

use super::options::Options;
use super::show::Show;
use super::show::baked::{Baked, Result};
use super::show::device::{self, Gpu};

/// Opens the window, and returns when it is closed.
pub fn open(options: &Options, baked: Baked) -> Result<()> {
    let events = EventLoop::new()
        .map_err(|error| format!("no window can be opened ({error}): try --headless FILE.png"))?;
    let display = Box::new(events.owned_display_handle());
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.display = Some(display);
    let instance = wgpu::Instance::new(descriptor);
    let mut player = Player { options: options.clone(), baked, instance, open: None, failed: None };
    events.run_app(&mut player)?;
    player.failed.map_or(Ok(()), Err)
}

struct Player {
    options: Options,
    baked: Baked,
    instance: wgpu::Instance,
    open: Option<Open>,
    failed: Option<Box<dyn std::error::Error>>,
}

/// What there is while the window is open.
struct Open {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    configuration: wgpu::SurfaceConfiguration,
    gpu: Gpu,
    show: Show,
    began: Instant,
}

impl Player {
    fn start(&self, events: &ActiveEventLoop) -> Result<Open> {
        let (width, height) = self.options.size;
        let attributes = Window::default_attributes()
            .with_title("vatpipe crowd")
            .with_inner_size(PhysicalSize::new(width, height));
        let window = Arc::new(events.create_window(attributes)?);
        let surface = self.instance.create_surface(window.clone())?;
        let gpu = device::open(&self.instance, Some(&surface))?;
        let size = window.inner_size();
        let mut configuration = surface
            .get_default_config(&gpu.adapter, size.width.max(1), size.height.max(1))
            .ok_or("the adapter cannot show pictures in this window")?;
        let formats = surface.get_capabilities(&gpu.adapter).formats;
        configuration.format =
            formats.into_iter().find(|format| format.is_srgb()).unwrap_or(configuration.format);
        configuration.present_mode = wgpu::PresentMode::AutoVsync;
        surface.configure(&gpu.device, &configuration);
        let mut show = Show::new(&gpu, &self.baked, self.options.count, configuration.format);
        show.shadows = self.options.shadows;
        Ok(Open { window, surface, configuration, gpu, show, began: Instant::now() })
    }
}

impl Open {
    fn resize(&mut self, size: PhysicalSize<u32>) {
        self.configuration.width = size.width.max(1);
        self.configuration.height = size.height.max(1);
        self.surface.configure(&self.gpu.device, &self.configuration);
    }

    fn draw(&mut self, begin: f64) {
        let frame = match self.surface.get_current_texture() {
            CurrentSurfaceTexture::Success(frame) | CurrentSurfaceTexture::Suboptimal(frame) => frame,
            CurrentSurfaceTexture::Outdated | CurrentSurfaceTexture::Lost => {
                self.surface.configure(&self.gpu.device, &self.configuration);
                return self.window.request_redraw();
            }
            _ => return self.window.request_redraw(),
        };
        let size = (self.configuration.width, self.configuration.height);
        let view = frame.texture.create_view(&Default::default());
        self.show.draw(&self.gpu, &view, size, begin + self.began.elapsed().as_secs_f64());
        self.window.pre_present_notify();
        self.gpu.queue.present(frame);
        self.window.request_redraw();
    }
}

impl ApplicationHandler for Player {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        match self.start(events) {
            Ok(open) => {
                open.window.request_redraw();
                self.open = Some(open);
            }
            Err(error) => {
                self.failed = Some(error);
                events.exit();
            }
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(open) = &mut self.open else { return };
        match event {
            WindowEvent::CloseRequested => events.exit(),
            WindowEvent::KeyboardInput { event, .. } if event.logical_key == Key::Named(NamedKey::Escape) => {
                events.exit();
            }
            WindowEvent::Resized(size) => open.resize(size),
            WindowEvent::RedrawRequested => open.draw(self.options.time),
            _ => {}
        }
    }
}
