//! How much a file may make us decode.

use super::json::Element;
use crate::problem::Result;
use crate::source::Limits;

/// What is left. Every byte that is really there adds to it; every number decoded takes from it.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    left: u64,
    per_byte: u64,
}

impl Budget {
    /// For a file of so many bytes.
    pub fn new(limits: &Limits, bytes: usize) -> Self {
        let mut budget = Self { left: limits.numbers, per_byte: limits.numbers_per_byte };
        budget.earn(bytes);
        budget
    }

    /// So many bytes more have been read.
    pub fn earn(&mut self, bytes: usize) {
        let more = self.per_byte.saturating_mul(bytes as u64);
        self.left = self.left.saturating_add(more);
    }

    /// So many numbers of four bytes are about to be made, for an element of the document.
    pub fn spend(&mut self, numbers: Option<u64>, element: &Element) -> Result<()> {
        match numbers.and_then(|n| self.left.checked_sub(n)) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                let message = match numbers {
                    Some(n) => format!("{n} numbers here are too many for a file of this size"),
                    None => "there are more numbers here than any file can hold".to_owned(),
                };
                let help =
                    "if the file is in order, it shares data in an extreme way: simplify or split the model";
                Err(element.error("source::limit", message).help(help))
            }
        }
    }
}
