//! The program: commands, exit codes, messages.
