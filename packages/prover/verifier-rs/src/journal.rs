//! The journal: canonical JSON, with its members in one fixed order.

use crate::field::P;

const LEVELS: [&str; 4] = ["low", "medium", "high", "critical"];
const RECOMMENDATIONS: [&str; 3] = ["approve", "review", "deny"];
const BREAKERS: [&str; 7] = [
    "agent_contained",
    "reputation_floor",
    "recent_critical_violation",
    "insufficient_history",
    "autonomy_limit",
    "counterparty_contained",
    "counterparty_conflict",
];
const BYTES_MAX: usize = 2048;
const SCORE_MAX: u64 = 10_000;

/// The public values of a proof in order, if these are exactly the bytes of a journal.
pub fn public_values(journal: &[u8]) -> Result<Vec<u64>, String> {
    read(journal).ok_or_else(|| "not a valid journal of risk-v1".into())
}

fn read(journal: &[u8]) -> Option<Vec<u64>> {
    if journal.len() > BYTES_MAX || !journal.is_ascii() {
        return None;
    }
    let mut text = std::str::from_utf8(journal).ok()?;
    let as_of = quoted(&mut text, "{\"as_of\":\"")?;
    let assessment_id = quoted(&mut text, ",\"assessment_id\":\"")?;
    text = text.strip_prefix(",\"circuit_breakers\":[")?;
    let (breakers, rest) = text.split_once(']')?;
    text = rest.strip_prefix(",\"formula\":\"risk-v1\"")?;
    let inputs = quoted(&mut text, ",\"inputs_commitment\":\"")?;
    text = text.strip_prefix(",\"kind\":\"individual\"")?;
    let level = quoted(&mut text, ",\"level\":\"")?;
    let recommendation = quoted(&mut text, ",\"recommendation\":\"")?;
    text = text.strip_prefix(",\"score_e4\":")?;
    let (score, rest) = text.split_once(',')?;
    text = rest.strip_prefix("\"v\":1")?;
    let witness = quoted(&mut text, ",\"witness_commitment\":\"")?;
    if text != "}" || !is_time(as_of) || !is_id(assessment_id) {
        return None;
    }
    hex_of(inputs, "sha256:")?;
    let mut publics = elements(hex_of(witness, "p2bb:")?)?;
    publics.push(score_of(score)?);
    publics.push(LEVELS.iter().position(|name| *name == level)? as u64);
    publics.push(RECOMMENDATIONS.iter().position(|name| *name == recommendation)? as u64);
    publics.extend(breaker_flags(breakers)?);
    Some(publics)
}

/// The string after a prefix, up to its closing quote.
fn quoted<'a>(text: &mut &'a str, prefix: &str) -> Option<&'a str> {
    let (value, rest) = text.strip_prefix(prefix)?.split_once('"')?;
    *text = rest;
    Some(value)
}

fn is_time(text: &str) -> bool {
    let pattern = "dddd-dd-ddTdd:dd:dd.dddZ";
    text.len() == pattern.len()
        && text.bytes().zip(pattern.bytes()).all(|(byte, expected)| match expected {
            b'd' => byte.is_ascii_digit(),
            _ => byte == expected,
        })
}

fn is_id(text: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=128).contains(&text.len()) && text.bytes().all(known)
}

fn hex_of<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let digits = text.strip_prefix(prefix)?;
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if digits.len() == 64 && digits.bytes().all(is_hex) {
        Some(digits)
    } else {
        None
    }
}

fn elements(digits: &str) -> Option<Vec<u64>> {
    (0..8)
        .map(|i| u64::from_str_radix(&digits[8 * i..8 * i + 8], 16).ok().filter(|e| *e < P))
        .collect()
}

fn score_of(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let leading = text.len() > 1 && text.starts_with('0');
    if !plain || leading || text.is_empty() || text.len() > 5 {
        return None;
    }
    text.parse().ok().filter(|score| *score <= SCORE_MAX)
}

/// Accepts known codes only, each at most once, in reporting order.
fn breaker_flags(list: &str) -> Option<Vec<u64>> {
    let mut flags = vec![0; BREAKERS.len()];
    let mut from = 0;
    if !list.is_empty() {
        for item in list.split(',') {
            let name = item.strip_prefix('"')?.strip_suffix('"')?;
            let at = BREAKERS.iter().position(|breaker| *breaker == name)?;
            if at < from {
                return None;
            }
            flags[at] = 1;
            from = at + 1;
        }
    }
    Some(flags)
}
