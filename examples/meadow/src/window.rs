//! A window that shows the meadow as time goes on, and takes what a build changes. Escape closes it.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use wgpu::CurrentSurfaceTexture;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

use crate::Result;
use crate::cast::Cast;
use crate::gpu::{self, Gpu};
use crate::renderer::Renderer;

/// Opens the window, and returns when it is closed.
pub fn open(cast: Cast, size: (u32, u32), begin: f64) -> Result<()> {
    let events = EventLoop::new()
        .map_err(|error| format!("no window can be opened ({error}): try --headless FILE.png"))?;
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.display = Some(Box::new(events.owned_display_handle()));
    let mut game =
        Game { cast, size, begin, instance: wgpu::Instance::new(descriptor), open: None, failed: None };
    events.run_app(&mut game)?;
    game.failed.map_or(Ok(()), Err)
}

struct Game {
    cast: Cast,
    size: (u32, u32),
    /// Seconds at which the window opens.
    begin: f64,
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
    renderer: Renderer,
    began: Instant,
}

impl Game {
    fn start(&self, events: &ActiveEventLoop) -> Result<Open> {
        let attributes = Window::default_attributes()
            .with_title("meadow")
            .with_inner_size(PhysicalSize::new(self.size.0, self.size.1));
        let window = Arc::new(events.create_window(attributes)?);
        let surface = self.instance.create_surface(window.clone())?;
        let gpu = gpu::open(&self.instance, Some(&surface))?;
        let size = window.inner_size();
        let mut configuration = surface
            .get_default_config(&gpu.adapter, size.width.max(1), size.height.max(1))
            .ok_or("the adapter cannot show pictures in this window")?;
        let formats = surface.get_capabilities(&gpu.adapter).formats;
        configuration.format = formats.into_iter().find(|f| f.is_srgb()).unwrap_or(configuration.format);
        surface.configure(&gpu.device, &configuration);
        let renderer = Renderer::new(&gpu, &self.cast, configuration.format)?;
        Ok(Open { window, surface, configuration, gpu, renderer, began: Instant::now() })
    }
}

impl Open {
    fn resize(&mut self, size: PhysicalSize<u32>) {
        self.configuration.width = size.width.max(1);
        self.configuration.height = size.height.max(1);
        self.surface.configure(&self.gpu.device, &self.configuration);
    }

    fn draw(&mut self, cast: &mut Cast, begin: f64) {
        // What a save has changed; what is wrong with it, and the game goes on with what it has.
        let changed = cast.refresh().and_then(|names| match names.is_empty() {
            true => Ok(()),
            false => self.renderer.replace(&self.gpu, cast),
        });
        if let Err(error) = changed {
            drop(writeln!(std::io::stderr(), "{error}"));
        }
        self.window.request_redraw();
        let frame = match self.surface.get_current_texture() {
            CurrentSurfaceTexture::Success(frame) | CurrentSurfaceTexture::Suboptimal(frame) => frame,
            CurrentSurfaceTexture::Outdated | CurrentSurfaceTexture::Lost => {
                return self.surface.configure(&self.gpu.device, &self.configuration);
            }
            _ => return,
        };
        let size = (self.configuration.width, self.configuration.height);
        let view = frame.texture.create_view(&Default::default());
        self.renderer.draw(&self.gpu, cast, &view, size, begin + self.began.elapsed().as_secs_f64());
        self.window.pre_present_notify();
        self.gpu.queue.present(frame);
    }
}

impl ApplicationHandler for Game {
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
            WindowEvent::RedrawRequested => open.draw(&mut self.cast, self.begin),
            _ => {}
        }
    }
}
