//! A device to draw with.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::Result;

/// A device, and the adapter it is of.
pub struct Gpu {
    pub adapter: wgpu::Adapter,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
}

/// A GPU, or else a processor that does its work; one that can draw on `surface`, if that is given.
pub fn open(instance: &wgpu::Instance, surface: Option<&wgpu::Surface>) -> Result<Gpu> {
    let options = wgpu::RequestAdapterOptions { compatible_surface: surface, ..Default::default() };
    let adapter = wait(instance.request_adapter(&options))?;
    let (device, queue) = wait(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;
    Ok(Gpu { adapter, device, queue })
}

/// The value of a future that needs nobody to wake it, as those of wgpu outside of browsers.
fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
        std::thread::yield_now();
    }
}
