//! Verifies the receipts of vectors/proofs, as published and with every kind of damage.

mod dice;
mod shared;

use dice::Dice;
use shared::{read_json, text, vectors};
use touchstone_verifier::{base64, hex, sha256, Verifier};

const MUTATIONS: usize = 2_500;

struct Receipt {
    name: String,
    program_id: String,
    journal: Vec<u8>,
    proof: Vec<u8>,
    proof_sha256: String,
}

fn receipts() -> Vec<Receipt> {
    let mut all: Vec<Receipt> = std::fs::read_dir(vectors("proofs"))
        .expect("the folder of vectors")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().map_or(false, |extension| extension == "json"))
        .map(|path| {
            let receipt = read_json(&path);
            Receipt {
                name: path.file_stem().expect("a name").to_string_lossy().into_owned(),
                program_id: text(&receipt, "program_id").into(),
                journal: base64::decode(text(&receipt, "journal")).expect("base64"),
                proof: base64::decode(text(&receipt, "proof")).expect("base64"),
                proof_sha256: text(&receipt, "proof_sha256").into(),
            }
        })
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(all.len() >= 8, "only {} receipts", all.len());
    all
}

fn accepted() -> Receipt {
    receipts().into_iter().find(|receipt| receipt.name == "accepted-row-1").expect("row 1")
}

#[test]
fn sha256_matches_the_standard_vectors() {
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hex::encode(&sha256::digest(b"abc")), abc);
    let long = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
    let input = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    assert_eq!(hex::encode(&sha256::digest(input)), long);
}

#[test]
fn every_receipt_is_accepted_or_rejected_as_named() {
    let verifier = Verifier::risk().expect("the program");
    for receipt in receipts() {
        assert_eq!(receipt.program_id, verifier.program_id(), "{}", receipt.name);
        assert_eq!(receipt.proof_sha256, hex::encode(&sha256::digest(&receipt.proof)));
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
