//! What was baked → one HTML page that needs nothing else.
pub mod chart;
