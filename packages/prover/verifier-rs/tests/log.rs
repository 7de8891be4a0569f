//! The public log: the shared vectors, which the first implementation wrote, as a library and from
//! the command line.

mod shared;

use shared::{read_json, text, vectors};
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;
use touchstone_verifier::base64;
use touchstone_verifier::json::Value;
use touchstone_verifier::log::note::{self, Key};
use touchstone_verifier::log::policy::Policy;
use touchstone_verifier::log::{checkpoint, consistency, count, hash, mirror, proof};
use touchstone_verifier::ml_dsa;
use touchstone_verifier::sha256::Digest;

struct Vectors {
    document: Value,
}

impl Vectors {
    fn read() -> Vectors {
        Vectors { document: read_json(&vectors("log/log.json")) }
    }

    fn cases(&self, name: &str) -> &[Value] {
        let cases = list(&self.document, name);
        assert!(cases.iter().any(is_valid) && !cases.iter().all(is_valid), "{}", name);
        cases
    }

    fn policy(&self) -> Policy {
        Policy::parse(text(&self.cases("policies")[0], "text")).expect("a policy")
    }

    fn checkpoint(&self, name: &str) -> &str {
        let case = self.cases("checkpoints").iter().find(|case| text(case, "name") == name);
        text(case.expect(name), "text")
    }

    fn files(&self) -> HashMap<String, Vec<u8>> {
        match self.document.member("files") {
            Some(Value::Object(files)) => files
                .keys()
                .map(|path| (path.to_string(), bytes(self.document.member("files"), path)))
                .collect(),
            other => panic!("files is {:?}", other),
        }
    }
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    match value.member(name) {
        Some(Value::List(items)) => items,
        other => panic!("{} is {:?}", name, other),
    }
}

fn is_valid(case: &Value) -> bool {
    case.member("valid") == Some(&Value::Flag(true))
}

fn bytes(object: Option<&Value>, name: &str) -> Vec<u8> {
    base64::decode(text(object.expect("an object"), name)).expect("base64")
}

fn whole(object: &Value, name: &str) -> u64 {
    match object.member(name) {
        Some(Value::Number(number)) => *number as u64,
        other => panic!("{} is {:?}", name, other),
    }
}

fn leaves(size: u64, files: &HashMap<String, Vec<u8>>) -> Result<Vec<Digest>, String> {
    mirror::leaves(size, &|path| files.get(path).cloned())
}

#[test]
fn every_policy_is_read_as_its_vector_says() {
    for case in Vectors::read().cases("policies") {
        let policy = Policy::parse(text(case, "text"));
        assert_eq!(policy.is_ok(), is_valid(case), "{:?}: {:?}", text(case, "text"), policy.err());
    }
}

#[test]
fn every_checkpoint_is_judged_as_its_vector_says() {
    let vectors = Vectors::read();
    for case in vectors.cases("checkpoints") {
        let outcome = checkpoint::verify(text(case, "text"), &vectors.policy());
        assert_eq!(outcome.is_ok(), is_valid(case), "{}: {:?}", text(case, "name"), outcome.err());
    }
}

#[test]
fn every_proof_is_judged_as_its_vector_says() {
    let vectors = Vectors::read();
    for case in vectors.cases("proofs") {
        let entry = bytes(Some(case), "entry");
        let outcome = proof::parse(text(case, "text"))
            .and_then(|proof| proof::verify(&proof, &entry, &vectors.policy()));
        assert_eq!(outcome.is_ok(), is_valid(case), "{}: {:?}", text(case, "name"), outcome.err());
    }
}

#[test]
fn every_consistency_proof_is_judged_as_its_vector_says() {
    let vectors = Vectors::read();
    for case in vectors.cases("consistency") {
        let hashes = list(case, "proof").iter().map(|item| match item {
            Value::Text(text) => hash(text).expect("a hash"),
            other => panic!("{:?} is no hash", other),
        });
        let root = |name| hash(text(case, name)).expect("a root");
        let claim = consistency::Claim {
            first: whole(case, "first"),
            second: whole(case, "second"),
            first_root: root("first_root"),
            second_root: root("second_root"),
            proof: &hashes.collect::<Vec<_>>(),
        };
        assert_eq!(consistency::verify(&claim), is_valid(case), "{:?}", case);
    }
}

#[test]
fn the_files_lead_to_every_checkpoint() {
    let vectors = Vectors::read();
    let all = leaves(300, &vectors.files()).expect("leaves");
    for size in [1, 5, 255, 256, 300] {
        let text = vectors.checkpoint(&format!("size {}", size));
        let checkpoint = checkpoint::verify(text, &vectors.policy()).expect("a checkpoint");
        assert_eq!(mirror::root(&all[..size]), checkpoint.root);
    }
}

#[test]
fn every_changed_byte_of_every_file_is_detected() {
    let files = Vectors::read().files();
    let good = mirror::root(&leaves(300, &files).expect("leaves"));
    for path in files.keys() {
        // Entries are covered by the tiles, of which every byte is changed.
        let step = if path.contains("entries") { 53 } else { 1 };
        for at in (0..files[path].len()).step_by(step) {
            let mut changed = files[path].clone();
            changed[at] ^= 1;
            let read = |name: &str| match name == path {
                true => Some(changed.clone()),
                false => files.get(name).cloned(),
            };
            let root = mirror::leaves(300, &read).map(|leaves| mirror::root(&leaves));
            assert!(root.is_err(), "{} at {}: {}", path, at, root == Ok(good));
        }
        let without = |name: &str| files.get(name).filter(|_| name != path).cloned();
        assert!(mirror::leaves(300, &without).unwrap_err().contains("is missing"));
    }
}

#[test]
fn every_signature_with_ml_dsa_is_judged_as_its_vector_says() {
    let document = read_json(&vectors("log/ml-dsa-44.json"));
    for case in list(&document, "signatures") {
        let part = |name| bytes(Some(case), name);
        let valid = ml_dsa::verify(&part("message"), &part("signature"), &part("public_key"));
        assert_eq!(valid, is_valid(case), "{}", text(case, "name"));
    }
    let policy = Policy::parse(text(&document, "policy")).expect("a policy");
    for case in list(&document, "checkpoints") {
        let outcome = checkpoint::verify(text(case, "text"), &policy);
        assert_eq!(outcome.is_ok(), is_valid(case), "{}: {:?}", text(case, "name"), outcome.err());
    }
}

#[test]
fn the_examples_of_the_formats_are_read() {
    let vkey = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
    let key = Key::parse(vkey).expect("a key");
    let text = "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";
    let example = note::parse(text).expect("a note");
    assert_eq!(note::verify(&example, &[&key]).expect("verified"), [&key]);
    let changed = note::parse(&text.replace("This", "That")).expect("a note");
    assert!(note::verify(&changed, &[&key]).is_err());
    assert!(Key::parse(&vkey.replace("foo", "bar")).is_err());
    assert_eq!(mirror::path("2", 1_234_067, 256), "tile/2/x001/x234/067");
    assert_eq!(mirror::path("entries", 1_234_067, 5), "tile/entries/x001/x234/067.p/5");
    assert_eq!(count("9007199254740991"), Some((1 << 53) - 1));
    for wrong in ["", "00", "01", "+1", "-1", "1 ", "9007199254740992", "1e3"] {
        assert_eq!(count(wrong), None, "{:?}", wrong);
    }
}

struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The log at 300 entries, with its policy and a proof.
    fn create(test: &str, vectors: &Vectors) -> Folder {
        let folder = Folder { path: PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test) };
        for (path, content) in vectors.files() {
            folder.write(&format!("log/{}", path), &content);
        }
        folder.write("log/checkpoint", vectors.checkpoint("size 300").as_bytes());
        folder.write("earlier", vectors.checkpoint("size 255").as_bytes());
        folder.write("policy", text(&vectors.cases("policies")[0], "text").as_bytes());
        let case = &vectors.cases("proofs")[0];
        folder.write("proof", text(case, "text").as_bytes());
        folder.write("entry", &bytes(Some(case), "entry"));
        folder
    }

    fn write(&self, name: &str, content: &[u8]) {
        let path = self.path.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }

    /// The exit code, and the last line of standard output.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_touchstone-verify"))
            .current_dir(&self.path)
            .args(arguments)
            .output()
            .expect("the program");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), said.lines().last().unwrap_or("").into())
    }
}

#[test]
fn the_command_judges_logs_and_proofs() {
    let vectors = Vectors::read();
    let folder = Folder::create("log-command", &vectors);
    let valid = (Some(0), "valid".to_string());
    assert_eq!(folder.run(&["log", "log", "policy"]), valid);
    assert_eq!(folder.run(&["log", "log", "policy", "earlier"]), valid);
    assert_eq!(folder.run(&["log-proof", "proof", "policy"]), valid);
    assert_eq!(folder.run(&["log-proof", "proof", "policy", "entry"]), valid);
    assert_eq!(folder.run(&["log-proof", "proof", "policy", "policy"]).0, Some(1));
    assert_eq!(folder.run(&["log-proof", "policy", "policy"]).0, Some(2));
    assert_eq!(folder.run(&["log", "log", "proof"]).0, Some(2));
    assert_eq!(folder.run(&["log", "missing", "policy"]).0, Some(2));
    assert_eq!(folder.run(&["log", "log"]).0, Some(2));
    folder.write("log/checkpoint", vectors.checkpoint("size 255").as_bytes());
    folder.write("later", vectors.checkpoint("size 300").as_bytes());
    let (code, said) = folder.run(&["log", "log", "policy", "later"]);
    assert_eq!((code, said.as_str()), (Some(1), "invalid: the earlier tree is larger"));
    let mut tile = vectors.files()["tile/0/000"].clone();
    tile[0] ^= 1;
    folder.write("log/tile/0/000", &tile);
    assert_eq!(folder.run(&["log", "log", "policy"]).0, Some(1));
}
