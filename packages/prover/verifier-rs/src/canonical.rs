//! Canonical JSON (RFC 8785): one text per value, so that anyone can recompute a hash of it.

use crate::json::{Object, Value};

/// No double has more decimal digits.
const DIGITS_MAX: usize = 767;

pub fn write(value: &Value) -> String {
    let mut text = String::new();
    write_value(value, &mut text);
    text
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&write_number(*number)),
        Value::Text(text) => write_string(text, out),
        Value::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_value(item, out);
            }
            out.push(']');
        }
        Value::Object(object) => write_object(object, out),
    }
}

/// Members are sorted by the UTF-16 code units of their names. The map's own order, by UTF-8
/// bytes, differs from it for characters beyond U+FFFF.
fn write_object(object: &Object, out: &mut String) {
    let mut members: Vec<(&String, &Value)> = object.iter().collect();
    members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push('{');
    for (i, (name, value)) in members.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_string(name, out);
        out.push(':');
        write_value(value, out);
    }
    out.push('}');
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", control as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
}

/// A finite number as ECMAScript writes it (Number::toString).
pub fn write_number(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    let sign = if number < 0.0 { "-" } else { "" };
    let (digits, exponent) = shortest(number.abs());
    format!("{}{}", sign, lay_out(&digits, exponent))
}

/// The shortest digits that read back as the same number, and the exponent of the first. Rust finds
/// them too, but of two that are equally near it takes the upper one, and ECMAScript the even one.
fn shortest(number: f64) -> (String, i32) {
    let (digits, exponent) = scientific(&format!("{:e}", number));
    match even_neighbour(&digits) {
        Some(lower) if is_halfway_above(&lower, number) => {
            let last = exponent + 1 - lower.len() as i32;
            // Below a power of two the doubles are closer, so the lower text may be another number.
            if format!("{}e{}", lower, last).parse() == Ok(number) {
                (lower, exponent)
            } else {
                (digits, exponent)
            }
        }
        _ => (digits, exponent),
    }
}

/// Odd digits less one.
fn even_neighbour(digits: &str) -> Option<String> {
    let (before, last) = digits.split_at(digits.len() - 1);
    let last: u8 = last.parse().ok().filter(|digit| digit % 2 == 1)?;
    Some(format!("{}{}", before, last - 1))
}

/// Whether all digits of the number are these and a 5. Most numbers differ in the first digits, so
/// these are compared first.
fn is_halfway_above(digits: &str, number: f64) -> bool {
    [digits.len() + 1, DIGITS_MAX].iter().all(|count| {
        let (all, _) = scientific(&format!("{:.*e}", count - 1, number));
        all.strip_prefix(digits).map(|rest| rest.trim_end_matches('0')) == Some("5")
    })
}

/// Splits d.ddde±x.
fn scientific(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// Places the decimal point of d.ddd × 10^exponent.
fn lay_out(digits: &str, exponent: i32) -> String {
    let count = digits.len();
    match exponent {
        0..=20 => {
            let whole = exponent as usize + 1;
            if count <= whole {
                format!("{}{}", digits, "0".repeat(whole - count))
            } else {
                format!("{}.{}", &digits[..whole], &digits[whole..])
            }
        }
        -6..=-1 => format!("0.{}{}", "0".repeat(-exponent as usize - 1), digits),
        _ => {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            format!("{}{}{}e{:+}", first, point, rest, exponent)
        }
    }
}
