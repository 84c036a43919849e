//! glTF 2.0.
