//! The vectors that all verifiers share.

use std::path::{Path, PathBuf};
use touchstone_verifier::json::{self, Value};

/// A folder of the shared vectors.
pub fn vectors(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../vectors").join(name)
}

pub fn read_json(path: &Path) -> Value {
    let bytes = std::fs::read(path).expect("a file of the vectors");
    json::parse(&bytes).expect("JSON")
}

pub fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    match object.member(name) {
        Some(Value::Text(text)) => text,
        other => panic!("{} is {:?}", name, other),
    }
}
