//! The example characters, made from formulas. Nothing here uses vatpipe: the files are as foreign to it as those of
//! any other program.

mod dragon;
mod glb;
mod kettle;
mod math;
mod mesh;
mod pennant;
mod rig;
mod surface;

/// File names and contents; the same on every machine.
pub fn models() -> Vec<(&'static str, Vec<u8>)> {
    vec![("dragon.glb", dragon::model()), ("pennant.glb", pennant::model()), ("kettle.glb", kettle::model())]
}
