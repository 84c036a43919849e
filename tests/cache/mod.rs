//! The cache: what it forgets, what it keeps.

mod gc;
mod reasons;
