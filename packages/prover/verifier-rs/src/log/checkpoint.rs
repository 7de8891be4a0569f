//! Checkpoints of a log (c2sp.org/tlog-checkpoint).

use super::note::{self, Key, Note};
use super::policy::Policy;
use super::{count, hash};
use crate::sha256::Digest;

pub struct Checkpoint {
    pub origin: String,
    pub size: u64,
    pub root: Digest,
    note: Note,
}

pub fn parse(text: &str) -> Result<Checkpoint, String> {
    let note = note::parse(text)?;
    let head = head(&note.body).map(|(origin, size, root)| (origin.to_string(), size, root));
    let malformed = "a checkpoint must begin with an origin, a size and a root";
    let (origin, size, root) = head.ok_or(malformed)?;
    Ok(Checkpoint { origin, size, root, note })
}

/// Origin, size and root of a signed text. Further lines are extensions.
pub fn head(body: &str) -> Option<(&str, u64, Digest)> {
    let lines: Vec<&str> = body.strip_suffix('\n')?.split('\n').collect();
    if lines.len() < 3 || lines.contains(&"") {
        return None;
    }
    Some((lines[0], count(lines[1])?, hash(lines[2])?))
}

/// Reads a checkpoint and requires the signature of a log of the policy, and its quorum.
pub fn verify(text: &str, policy: &Policy) -> Result<Checkpoint, String> {
    let checkpoint = parse(text)?;
    let of_log: Vec<&Key> =
        policy.logs.iter().filter(|key| key.name == checkpoint.origin).collect();
    if of_log.is_empty() {
        return Err(format!("unknown log {:?}", checkpoint.origin));
    }
    let keys: Vec<&Key> = of_log.iter().copied().chain(policy.witness_keys()).collect();
    let verified = note::verify(&checkpoint.note, &keys)?;
    if !verified.iter().any(|key| of_log.contains(key)) {
        return Err("the log has not signed the checkpoint".into());
    }
    if !policy.has_quorum(&verified) {
        return Err(format!("the quorum {} is not reached", policy.quorum));
    }
    Ok(checkpoint)
}
