//! What templates need to write values down: literals that parse back to the same value, and text
//! that cannot break out of a literal or a comment.
//!
//! All results are ASCII: some shader compilers stop at anything else, even in comments.

use std::fmt::Write;

use minijinja::value::ValueKind;
use minijinja::{Environment, Error, ErrorKind, escape_formatter};

/// Adds the filters to a template environment, and the way values are written without one:
/// `true` and `false` as most languages have them, numbers with a fraction as by `f32`.
pub fn add(environment: &mut Environment<'_>) {
    environment.set_formatter(|output, state, value| match value.kind() {
        ValueKind::Bool => Ok(output.write_str(if value.is_true() { "true" } else { "false" })?),
        ValueKind::Number if !value.is_integer() => {
            Ok(output.write_str(&f32_literal(value.clone().try_into()?)?)?)
        }
        _ => escape_formatter(output, state, value),
    });
    environment.add_filter("f32", f32_literal);
    environment.add_filter("f64", f64_literal);
    environment.add_filter("rust_string", rust_string);
    environment.add_filter("json_string", json_string);
    environment.add_filter("comment", comment);
}

/// The shortest decimal literal, with a point or an exponent, that is nearest to the same `f32`,
/// whether it is read as `f32` or as `f64` first.
fn f32_literal(value: f64) -> Result<String, Error> {
    let single = value as f32;
    if !single.is_finite() {
        return Err(not_finite(value));
    }
    let short = format!("{single:?}");
    let through_double = short.parse::<f64>().map(|double| double as f32);
    Ok(if through_double == Ok(single) { short } else { format!("{:?}", f64::from(single)) })
}

/// The shortest decimal literal, with a point or an exponent, that is nearest to the same `f64`.
fn f64_literal(value: f64) -> Result<String, Error> {
    if value.is_finite() { Ok(format!("{value:?}")) } else { Err(not_finite(value)) }
}

fn not_finite(value: f64) -> Error {
    Error::new(ErrorKind::InvalidOperation, format!("{value} has no literal"))
}

/// A string literal of Rust, quotes included.
fn rust_string(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '\'' => literal.push(c),
            _ => literal.extend(c.escape_default()),
        }
    }
    literal + "\""
}

/// A string literal of JSON, quotes included; also one of JavaScript, C# and GDScript.
fn json_string(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            ' '..='~' => literal.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a String does not fail.
                    let _ = write!(literal, "\\u{unit:04x}");
                }
            }
        }
    }
    literal + "\""
}

/// Text for a comment of any kind: it cannot end one, start one, continue a line comment on the
/// next line, or leave the code quotes of a doc comment.
fn comment(text: &str) -> String {
    let mut comment = String::new();
    for c in text.chars() {
        match c {
            '*' | '\\' | '`' => code_point(&mut comment, c),
            ' '..='~' => comment.push(c),
            _ => code_point(&mut comment, c),
        }
    }
    comment
}

fn code_point(comment: &mut String, c: char) {
    // Writing to a String does not fail.
    let _ = write!(comment, "(U+{:04X})", u32::from(c));
}
