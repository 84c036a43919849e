//! Generated sources compile and say what the metadata says.
