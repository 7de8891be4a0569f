//! The public log (spec: log §2), in the formats of C2SP: signed notes and checkpoints, trust
//! policies, proofs of logging, and the whole log from its files.

pub mod checkpoint;
pub mod consistency;
pub mod mirror;
pub mod note;
pub mod policy;
pub mod proof;

use crate::base64;
use crate::sha256::Digest;

/// The largest number that every reader knows exactly: 2^53 - 1.
const COUNT_MAX: u64 = (1 << 53) - 1;

/// A number in ASCII decimal without leading zeros.
pub fn count(text: &str) -> Option<u64> {
    let is_plain = text == "0" || !text.starts_with('0');
    if !is_plain || text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|count| *count <= COUNT_MAX)
}

/// A hash in base64.
pub fn hash(text: &str) -> Option<Digest> {
    base64::decode(text)?.try_into().ok()
}
