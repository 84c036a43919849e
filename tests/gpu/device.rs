//! Adapters, devices, and waiting for them.

use std::future::Future;
use std::pin::pin;
use std::sync::OnceLock;
use std::task::{Context, Poll, Waker};

use wgpu::{Adapter, Device, Features, Queue};

/// A device of an adapter, with every feature that reading a sheet may need and the adapter has.
pub struct Gpu {
    /// The adapter's name and its driver's.
    pub name: String,
    pub device: Device,
    pub queue: Queue,
}

/// What a format may need.
const FEATURES: [Features; 3] = [
    Features::TEXTURE_FORMAT_16BIT_NORM,
    Features::TEXTURE_COMPRESSION_BC,
    Features::TEXTURE_COMPRESSION_ASTC,
];

/// Every adapter that is right for these tests: lavapipe, and each real GPU. A machine without any must not pass
/// by accident.
pub fn all() -> &'static [Gpu] {
    static ALL: OnceLock<Vec<Gpu>> = OnceLock::new();
    ALL.get_or_init(|| {
        let right = |adapter: &Adapter| {
            let info = adapter.get_info();
            info.device_type != wgpu::DeviceType::Cpu || info.name.contains("llvmpipe")
        };
        let all = open(right);
        assert!(!all.is_empty(), "no adapter: `tests/run` installs Mesa's lavapipe (mesa-vulkan-drivers)");
        all
    })
}

/// A device of each adapter that is asked for, among those that the Vulkan loader, Metal or Direct3D find.
pub fn open(wanted: impl Fn(&Adapter) -> bool) -> Vec<Gpu> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::PRIMARY,
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapters = wait(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    adapters.iter().filter(|adapter| wanted(adapter)).map(device).collect()
}

fn device(adapter: &Adapter) -> Gpu {
    let info = adapter.get_info();
    let features = FEATURES.into_iter().fold(Features::empty(), |all, one| all | one & adapter.features());
    let descriptor = wgpu::DeviceDescriptor {
        required_features: features,
        required_limits: adapter.limits(),
        ..wgpu::DeviceDescriptor::default()
    };
    let (device, queue) =
        wait(adapter.request_device(&descriptor)).unwrap_or_else(|error| panic!("{}: {error}", info.name));
    Gpu { name: format!("{}, {} {}", info.name, info.driver, info.driver_info), device, queue }
}

/// The value of a future that needs nobody to wake it, as those of wgpu on a native machine.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
        std::thread::yield_now();
    }
}
