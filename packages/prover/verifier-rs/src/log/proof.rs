//! Proofs of logging (c2sp.org/tlog-proof).

use super::checkpoint::{self, Checkpoint};
use super::policy::Policy;
use super::{count, hash};
use crate::sha256::Digest;
use crate::{base64, inclusion};

const HEADER: &str = "c2sp.org/tlog-proof@v1";
const HASHES_MAX: usize = 63;

pub struct Proof {
    /// Not authenticated by itself.
    pub extra: Option<Vec<u8>>,
    pub index: u64,
    hashes: Vec<Digest>,
    checkpoint: String,
}

pub fn parse(text: &str) -> Result<Proof, String> {
    let (head, checkpoint) = text.split_once("\n\n").ok_or("a proof needs an empty line")?;
    let mut lines: Vec<&str> = head.split('\n').collect();
    if lines.remove(0) != HEADER {
        return Err(format!("a proof must begin with {}", HEADER));
    }
    let mut extra = None;
    if let Some(encoded) = lines.first().and_then(|line| line.strip_prefix("extra ")) {
        extra = Some(base64::decode(encoded).ok_or("extra must be base64")?);
        lines.remove(0);
    }
    let index = lines.first().and_then(|line| line.strip_prefix("index ")).and_then(count);
    let index = index.ok_or("a proof must have a line index <number>")?;
    let path = &lines[1..];
    let hashes: Option<Vec<Digest>> = path.iter().map(|line| hash(line)).collect();
    match hashes {
        Some(hashes) if hashes.len() <= HASHES_MAX => {
            Ok(Proof { extra, index, hashes, checkpoint: checkpoint.into() })
        }
        _ => Err(format!("a path must be at most {} hashes", HASHES_MAX)),
    }
}

/// Verifies that the entry is in a log of the policy.
pub fn verify(proof: &Proof, entry: &[u8], policy: &Policy) -> Result<Checkpoint, String> {
    let checkpoint = checkpoint::verify(&proof.checkpoint, policy)?;
    let root = inclusion::root_from(entry, proof.index, checkpoint.size, &proof.hashes);
    if root == Some(checkpoint.root) {
        Ok(checkpoint)
    } else {
        Err("the path does not lead from the entry to the root".into())
    }
}
