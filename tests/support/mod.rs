//! What tests share: small models, readers, comparison.
