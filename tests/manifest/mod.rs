//! `vat.toml`: settings, defaults and diagnostics.
