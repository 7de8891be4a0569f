//! Verifies the receipts of vectors/proofs, as published and with every kind of damage.

use std::path::PathBuf;
use touchstone_verifier::{sha256, Verifier};

const MUTATIONS: usize = 2_500;

struct Receipt {
    name: String,
    program_id: String,
    journal: Vec<u8>,
    proof: Vec<u8>,
    proof_sha256: String,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../vectors/proofs")
}

fn receipts() -> Vec<Receipt> {
    let mut all: Vec<Receipt> = std::fs::read_dir(folder())
        .expect("the folder of vectors")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().map_or(false, |extension| extension == "json"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a receipt");
            Receipt {
                name: path.file_stem().expect("a name").to_string_lossy().into_owned(),
                program_id: member(&text, "program_id"),
                journal: base64(&member(&text, "journal")),
                proof: base64(&member(&text, "proof")),
                proof_sha256: member(&text, "proof_sha256"),
            }
        })
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(all.len() >= 8, "only {} receipts", all.len());
    all
}

/// The files have one member per line and no escapes.
fn member(text: &str, name: &str) -> String {
    let prefix = format!("  \"{}\": \"", name);
    let line = text.lines().find(|line| line.starts_with(&prefix)).expect("the member");
    line[prefix.len()..].trim_end_matches(',').trim_end_matches('"').to_string()
}

fn base64(text: &str) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0u32, 0u32);
    for symbol in text.bytes().take_while(|symbol| *symbol != b'=') {
        let value = alphabet.iter().position(|known| *known == symbol).expect("base64");
        held = (held << 6 | value as u32) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    bytes
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{:02x}", byte)).collect()
}

/// A deterministic generator (Lehmer), so that every run is the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        self.0 as usize % below
    }
}

fn accepted() -> Receipt {
    receipts().into_iter().find(|receipt| receipt.name == "accepted-row-1").expect("row 1")
}

#[test]
fn sha256_matches_the_standard_vectors() {
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hex(&sha256::digest(b"abc")), abc);
    let long = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
    let input = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    assert_eq!(hex(&sha256::digest(input)), long);
}

#[test]
fn every_receipt_is_accepted_or_rejected_as_named() {
    let verifier = Verifier::risk().expect("the program");
    for receipt in receipts() {
        assert_eq!(receipt.program_id, verifier.program_id(), "{}", receipt.name);
        assert_eq!(receipt.proof_sha256, hex(&sha256::digest(&receipt.proof)));
        let outcome = verifier.verify(&receipt.journal, &receipt.proof);
        assert_eq!(outcome.is_ok(), receipt.name.starts_with("accepted"), "{}", receipt.name);
    }
}

#[test]
fn a_changed_byte_is_rejected() {
    let verifier = Verifier::risk().expect("the program");
    let Receipt { journal, proof, .. } = accepted();
    let mut dice = Dice(11);
    for round in 0..MUTATIONS {
        // Evenly spread, so that every part of the proof is covered.
        let at = round * proof.len() / MUTATIONS + dice.roll(proof.len() / MUTATIONS);
        let mut changed = proof.clone();
        changed[at] ^= 1 + dice.roll(255) as u8;
        assert!(verifier.verify(&journal, &changed).is_err(), "byte {}", at);
    }
}

#[test]
fn a_changed_length_is_rejected() {
    let verifier = Verifier::risk().expect("the program");
    let Receipt { journal, proof, .. } = accepted();
    for end in (0..proof.len()).step_by(997) {
        assert!(verifier.verify(&journal, &proof[..end]).is_err(), "cut at {}", end);
    }
    for extra in [1, 4, 32, 80_000] {
        let mut longer = proof.clone();
        longer.resize(proof.len() + extra, 0);
        assert!(verifier.verify(&journal, &longer).is_err(), "{} more", extra);
    }
}

#[test]
fn another_journal_is_rejected() {
    let verifier = Verifier::risk().expect("the program");
    let Receipt { journal, proof, .. } = accepted();
    for at in 0..journal.len() {
        let mut changed = journal.clone();
        changed[at] ^= 1;
        assert!(verifier.verify(&changed, &proof).is_err(), "byte {}", at);
    }
    for receipt in receipts().iter().filter(|receipt| receipt.journal != journal) {
        assert!(verifier.verify(&receipt.journal, &proof).is_err(), "{}", receipt.name);
        assert!(verifier.verify(&journal, &receipt.proof).is_err(), "{}", receipt.name);
    }
}
