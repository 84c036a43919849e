//! Baked characters in a running game: load, check, upload, play, ask, reload.
//!
//! This module is for games, not for bakes: `vatpipe = { version = "0.1", default-features = false, features =
//! ["runtime"] }` brings it alone. It uses `core` and `alloc` only; reading files and reloading them
//! (feature `reload`) needs the standard library. It knows no graphics API: textures come with all that one asks for.
//!
//! # Loading
//!
//! A character is one folder of files. Loading reads them all and checks that they are whole, that no number leads outside
//! of a texture, and that all are from the same bake, so that nothing can go wrong later.
//!
//! ```
//! use vatpipe::runtime::Character;
//!
//! # fn read_asset(_: &str) -> Vec<u8> { Vec::new() }
//! fn load() -> vatpipe::runtime::Result<Character> {
//!     let json = read_asset("crab/crab.vat.json");
//!     Character::load(&json, &mut |file| Ok(read_asset(&format!("crab/{file}"))))
//! }
//! # assert_eq!(load().unwrap_err().code, "runtime::json");
//! ```
//!
//! With files on a disk that is `Character::open(folder, "crab")`. A game with generated constants asks once whether they
//! are for these files:
//!
//! ```
//! # mod vat { pub mod crab { pub const LAYOUT: u32 = 7; } }
//! # fn check(character: &vatpipe::runtime::Character) -> vatpipe::runtime::Result<()> {
//! character.check_layout(vat::crab::LAYOUT)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Uploading
//!
//! [`Texture::upload`] has what `wgpu` asks for, in its words; [`Mesh`] has positions, normals, UVs, columns and indices:
//!
//! ```
//! use wgpu::util::{DeviceExt, TextureDataOrder};
//!
//! fn upload(gpu: &wgpu::Device, queue: &wgpu::Queue, sheet: &vatpipe::runtime::Texture) -> wgpu::Texture {
//!     let upload = sheet.upload();
//!     let [width, height, depth_or_array_layers] = upload.size;
//!     let descriptor = wgpu::TextureDescriptor {
//!         label: None,
//!         size: wgpu::Extent3d { width, height, depth_or_array_layers },
//!         mip_level_count: 1,
//!         sample_count: 1,
//!         dimension: wgpu::TextureDimension::D2,
//!         format: match upload.wgpu_format {
//!             Some("Rgba16Uint") => wgpu::TextureFormat::Rgba16Uint,
//!             other => panic!("this game does not use {other:?}"),
//!         },
//!         usage: wgpu::TextureUsages::TEXTURE_BINDING,
//!         view_formats: &[],
//!     };
//!     gpu.create_texture_with_data(queue, &descriptor, TextureDataOrder::LayerMajor, upload.data)
//! }
//! ```
//!
//! # Playing
//!
//! What an instance plays is one [`Instance`] of 32 bytes in a buffer, which the generated shaders read. It changes only when
//! the game decides something; every frame the shader works out the rest from `now`:
//!
//! ```
//! use vatpipe::runtime::{Instance, ticks};
//!
//! let (walk, hit) = (0, 1);                       // character.clip("Walk"), or vat::crab::Clip::Walk as u32
//! let mut crab = Instance::new(walk, ticks(12.5)).with_phase(0.3);
//! crab = crab.fade_to(hit, ticks(60.0), 0.25);    // over a quarter of a second
//! let bytes = crab.to_ne_bytes();                 // into the buffer
//! assert_eq!(crab.fade_weight(ticks(60.125)), 0.5);
//! # assert_eq!(bytes.len(), Instance::SIZE);
//! ```
//!
//! # Asking
//!
//! Where a vertex is, what a crab's claw touches, how large it is now: the same arithmetic as in the shaders, at exactly
//! the moments that they show.
//!
//! ```
//! use vatpipe::runtime::{Character, Instance, Result};
//!
//! fn claw(character: &Character, crab: &Instance, now: u32) -> Result<Option<[f32; 3]>> {
//!     let finest = 0;
//!     Ok(character.pose(crab, finest, now)?.position(417))
//! }
//! ```
//!
//! [`Character::motion`] asks a clip instead of an instance, in seconds or ticks. Formats in blocks are for GPUs and are
//! refused with an error that says so; their bounds are there all the same.
//!
//! # Reloading
//!
//! While `vatpipe watch` runs, `Reload::poll` (feature `reload`) gives what a save has changed: whole characters, never half
//! of one build and half of another.
//!
//! ```
//! use vatpipe::runtime::{Character, Reload};
//!
//! struct Game { crabs: Vec<Character>, reload: Reload }          // Reload::new(Path::new("assets/vat"), &[])
//!
//! impl Game {
//!     fn every_frame(&mut self) {
//!         match self.reload.poll() {
//!             Ok(Some(changes)) => self.crabs = changes.characters,
//!             Ok(None) => {}
//!             Err(error) => eprintln!("{error}"),                 // keep what is loaded; the next save may be right
//!         }
//!     }
//! }
//! ```
//!
//! Textures, mesh and metadata go together. If the layout hash is another than before (a clip has more frames, its range
//! has grown), generated constants are out of date: a program that reads the text of `vat.wgsl` takes
//! the new one from `Changes::constants`.

mod character;
mod error;
mod glb;
mod instance;
mod ktx2;
mod mesh;
mod motion;
mod texel;
mod texture;
mod time;
mod upload;

#[cfg(feature = "reload")]
mod disk;
#[cfg(feature = "reload")]
mod reload;

pub use character::{Character, ReadFile};
pub use error::{Error, Result};
pub use instance::Instance;
pub use mesh::{Material, Mesh, MeshLod, Primitive};
pub use motion::{InstancePose, Motion, Pose, Vertex};
pub use texel::Texel;
pub use texture::{MAX_BYTES, Table, Texture};
pub use time::{
    FrameAt, MAX_SPEED, Play, Playback, TICKS_PER_SECOND, Timing, clip_of, seconds_between, ticks,
};
pub use upload::{SampleType, Upload};

#[cfg(feature = "reload")]
pub use reload::{Changes, Reload};
