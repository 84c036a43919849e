//! Model files: what is read, what is refused.

mod corpus;
