//! A second verifier for Touchstone's risk proofs, the receipts of gateway decisions and the public
//! log. It uses only the standard library and shares no code with the first, only the program of the
//! proofs: the text that states what is proven, whose hash is the program id.
//!
//! Receipts are verified by `decision_receipt`, and proofs by `Verifier`. `field` and `merkle`
//! belong to the proofs; `ed25519` and `inclusion` are their counterparts for receipts and `log`.
#![forbid(unsafe_code)]

pub mod base64;
pub mod canonical;
pub mod decision_receipt;
pub mod ed25519;
mod extension;
mod field;
mod fri;
pub mod hex;
mod inclusion;
mod journal;
pub mod json;
pub mod log;
mod merkle;
pub mod ml_dsa;
mod program;
mod proof;
pub mod published_keys;
mod reader;
pub mod sha256;
mod sha3;
pub mod sha512;
mod shape;
mod transcript;
mod verify;

use program::Program;

/// The published program for risk-v1.
const RISK_PROGRAM: &str = include_str!("../../../../vectors/proofs/risk-v1.program");

/// A verifier with its program parsed, for one receipt or many.
pub struct Verifier {
    program: Program,
    program_digest: [u8; 32],
}

impl Verifier {
    pub fn risk() -> Result<Verifier, String> {
        Ok(Verifier {
            program: Program::parse(RISK_PROGRAM)?,
            program_digest: sha256::digest(RISK_PROGRAM.as_bytes()),
        })
    }

    pub fn program_id(&self) -> String {
        format!("sha256:{}", hex::encode(&self.program_digest))
    }

    /// Whether the proof shows that the journal, byte for byte, follows from committed inputs.
    pub fn verify(&self, journal: &[u8], proof: &[u8]) -> Result<(), String> {
        let publics = journal::public_values(journal)?;
        verify::verify(
            proof,
            &verify::Statement {
                program: &self.program,
                program_digest: self.program_digest,
                journal_digest: sha256::digest(journal),
                publics,
            },
        )
    }
}
