//! Sampling and deforming.
