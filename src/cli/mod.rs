//! The `vatpipe` program.
