//! The `vatpipe` program.
fn main() {}
