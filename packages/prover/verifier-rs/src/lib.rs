//! A second verifier for Touchstone's risk receipts. It shares no code with the first, only the
//! program: the text that states what is proven, whose hash is the program id.
#![forbid(unsafe_code)]

mod extension;
mod field;
mod fri;
mod journal;
mod merkle;
mod program;
mod proof;
mod reader;
pub mod sha256;
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
        let hex: String = self.program_digest.iter().map(|byte| format!("{:02x}", byte)).collect();
        format!("sha256:{}", hex)
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
