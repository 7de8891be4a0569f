//! Receipts of gateway decisions: the shared vectors, as published and with every kind of damage,
//! as a library and from the command line.

mod dice;
mod shared;

use dice::Dice;
use shared::{read_json, text, vectors};
use std::path::PathBuf;
use std::process::Command;
use touchstone_verifier::json::{parse, Value};
use touchstone_verifier::published_keys::PublishedKeys;
use touchstone_verifier::{canonical, decision_receipt};

const MUTATIONS: usize = 4_000;

struct Vectors {
    document: Value,
}

impl Vectors {
    fn read() -> Vectors {
        Vectors { document: read_json(&vectors("policy/decision-receipts.json")) }
    }

    fn keys(&self) -> PublishedKeys {
        PublishedKeys::read(&self.document).expect("keys")
    }

    fn cases(&self) -> Vec<(&str, &Value, bool)> {
        let cases = match self.document.member("receipts") {
            Some(Value::List(cases)) => cases,
            other => panic!("receipts is {:?}", other),
        };
        let cases: Vec<(&str, &Value, bool)> = cases
            .iter()
            .map(|case| {
                let valid = case.member("valid") == Some(&Value::Flag(true));
                (text(case, "name"), case.member("receipt").expect("a receipt"), valid)
            })
            .collect();
        assert!(cases.iter().filter(|(_, _, valid)| *valid).count() >= 10);
        assert!(cases.iter().filter(|(_, _, valid)| !*valid).count() >= 20);
        cases
    }

    fn case(&self, wanted: &str) -> &Value {
        self.cases().into_iter().find(|(name, ..)| *name == wanted).expect(wanted).1
    }

    fn arguments(&self) -> &Value {
        self.document.member("arguments").expect("arguments")
    }
}

fn member_of<'a>(value: &'a mut Value, path: &[&str]) -> &'a mut Value {
    path.iter().fold(value, |value, name| match value {
        Value::Object(object) => object.get_mut(*name).expect(name),
        Value::List(items) => &mut items[name.parse::<usize>().expect("an index")],
        _ => panic!("no member {}", name),
    })
}

fn json(text: &str) -> Value {
    parse(text.as_bytes()).expect(text)
}

#[test]
fn every_receipt_is_judged_as_its_vector_says() {
    let vectors = Vectors::read();
    for (name, receipt, valid) in vectors.cases() {
        let outcome = decision_receipt::verify(receipt, &vectors.keys());
        assert_eq!(outcome.is_ok(), valid, "{}: {:?}", name, outcome);
    }
}

#[test]
fn a_receipt_is_about_its_arguments_only() {
    let vectors = Vectors::read();
    let keys = vectors.keys();
    let statement = decision_receipt::verify(vectors.case("version 1"), &keys).expect("valid");
    assert!(statement.is_about(vectors.arguments()));
    assert!(statement.is_about(&json(r#"{"text":"Gr\u00fc\u00dfe","amount":2e1,"order":1182}"#)));
    assert!(!statement.is_about(&json(r#"{"text":"Grüße","amount":21,"order":1182}"#)));
    assert!(!statement.is_about(&Value::Null));
    let without = decision_receipt::verify(vectors.case("version 1 with nulls"), &keys);
    assert!(!without.expect("valid").is_about(&Value::Null));
}

#[test]
fn a_changed_form_is_rejected() {
    let vectors = Vectors::read();
    let keys = vectors.keys();
    let refuse = |path: &[&str], replacement: Value, expected: &str| {
        let mut changed = vectors.case("place 3 of 5").clone();
        *member_of(&mut changed, path) = replacement;
        let fault = decision_receipt::verify(&changed, &keys).expect_err(expected);
        assert!(fault.contains(expected), "{:?}: {}", path, fault);
    };
    refuse(&[], Value::Null, "receipt must be an object");
    refuse(&["batch"], Value::Null, "batch must be an object");
    refuse(&["batch"], json("{}"), "at is missing");
    refuse(&["batch", "size"], json("5.5"), "size must be a whole number");
    refuse(&["batch", "size"], json("-5"), "size must be a whole number");
    refuse(&["batch", "size"], json("9007199254740992"), "size must be a whole number");
    refuse(&["batch", "index"], json("\"3\""), "index must be a whole number");
    refuse(&["batch", "path"], json("{}"), "path must be an array");
    refuse(&["batch", "path", "0"], json(r#"{"hash":""}"#), "position is missing");
    refuse(&["batch", "path", "0", "hash"], json("1"), "hash must be a string");
    refuse(&["batch", "path", "0", "position"], json("\"above\""), "the path does not lead");
    refuse(&["statement", "decision"], json("\"maybe\""), "decision must be allow");
    refuse(&["statement", "@context"], json("\"urn:other\""), "@context must be");
    refuse(&["statement", "tool"], Value::Null, "tool must be a string");
    refuse(&["statement", "policy_version"], json("1.5"), "policy_version must be");
    refuse(&["signature", "algorithm"], json("\"ed25519\""), "algorithm must be Ed25519");
    refuse(&["signature", "key_id"], json("\"key-0\""), "not among the published keys");
    refuse(&["signature", "value"], json("\"AA\""), "not valid base64");
    refuse(&["signature", "value"], json("\"AAAA\""), "not a valid Ed25519 signature");
}

#[test]
fn an_unknown_field_is_rejected_everywhere() {
    let vectors = Vectors::read();
    let keys = vectors.keys();
    let places: [&[&str]; 5] =
        [&[], &["statement"], &["signature"], &["batch"], &["batch", "path", "0"]];
    for place in places {
        let mut changed = vectors.case("place 3 of 5").clone();
        match member_of(&mut changed, place) {
            Value::Object(object) => object.insert("note".into(), Value::Null),
            other => panic!("{:?} is {:?}", place, other),
        };
        let fault = decision_receipt::verify(&changed, &keys).expect_err("an unknown field");
        assert!(fault.contains("unknown field \"note\""), "{}", fault);
    }
}

#[test]
fn a_key_under_the_id_of_another_is_not_used() {
    let vectors = Vectors::read();
    let mut document = vectors.document.clone();
    let x = member_of(&mut document, &["keys", "0", "x"]);
    *x = json("\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"");
    let keys = PublishedKeys::read(&document).expect("keys");
    assert!(decision_receipt::verify(vectors.case("version 1"), &keys).is_err());
}

/// A damaged text is unreadable, an invalid receipt, or still the same value.
#[test]
fn a_changed_byte_is_rejected_unless_the_value_is_the_same() {
    let vectors = Vectors::read();
    let keys = vectors.keys();
    let mut dice = Dice(23);
    for name in ["version 1", "place 31 of 33"] {
        let receipt = vectors.case(name);
        let text = canonical::write(receipt).into_bytes();
        let mut verified = 0;
        for round in 0..MUTATIONS {
            let mut changed = text.clone();
            let at = dice.roll(text.len());
            match round % 3 {
                0 => changed[at] ^= 1 + dice.roll(255) as u8,
                1 => changed[at] = text[dice.roll(text.len())],
                _ => drop(changed.remove(at)),
            }
            if let Ok(value) = parse(&changed) {
                let valid = decision_receipt::verify(&value, &keys).is_ok();
                assert_eq!(valid, value == *receipt, "{}", String::from_utf8_lossy(&changed));
                verified += 1;
            }
        }
        assert!(verified > MUTATIONS / 3, "only {} were JSON", verified);
    }
}

struct Files {
    folder: PathBuf,
}

impl Files {
    fn create(test: &str) -> Files {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
        std::fs::create_dir_all(&folder).expect("a folder");
        Files { folder }
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.folder.join(name), content).expect("a file");
    }

    /// The exit code, standard output and standard error.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_touchstone-verify"))
            .current_dir(&self.folder)
            .args(arguments)
            .output()
            .expect("the program");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }
}

#[test]
fn the_command_reports_valid_and_invalid_receipts() {
    let vectors = Vectors::read();
    let files = Files::create("valid-and-invalid");
    let keys = vectors.document.member("keys").expect("keys");
    files.write("keys.json", &format!("{{\"keys\":{}}}", canonical::write(keys)));
    for (name, receipt, valid) in vectors.cases() {
        let receipt = canonical::write(receipt);
        files.write("receipt.json", &receipt);
        files.write("answer.json", &format!("{{\"decision\":\"warn\",\"receipt\":{}}}", receipt));
        let alone = files.run(&["receipt", "receipt.json", "keys.json"]);
        let inside = files.run(&["receipt", "answer.json", "keys.json"]);
        assert_eq!(alone, inside);
        assert_eq!(alone.0, Some(i32::from(!valid)), "{}: {}", name, alone.1);
        assert_eq!(alone.1.starts_with("invalid: "), !valid, "{}", alone.1);
    }
    files.write("receipt.json", &canonical::write(vectors.case("version 1")));
    files.write("arguments.json", &canonical::write(vectors.arguments()));
    let (code, said, _) = files.run(&["receipt", "receipt.json", "keys.json", "arguments.json"]);
    let expected = "dec-0192f0c1-0000-7000-8000-000000000000 of agent-0 at \
                    2026-03-01T12:00:00.000Z\nsays allow to mcp__shop__refund\nvalid\n";
    assert_eq!((code, said.as_str()), (Some(0), expected));
    files.write("arguments.json", "{}");
    let (code, said, _) = files.run(&["receipt", "receipt.json", "keys.json", "arguments.json"]);
    assert_eq!((code, said.as_str()), (Some(1), "invalid: not about these arguments\n"));
}

#[test]
fn the_command_reports_unreadable_files() {
    let vectors = Vectors::read();
    let files = Files::create("unreadable");
    files.write("good.json", &canonical::write(vectors.case("version 1")));
    files.write("keys.json", &canonical::write(&vectors.document));
    files.write("cut.json", "{\"statement\":");
    files.write("list.json", "[]");
    let cases: [(&[&str], &str); 9] = [
        (&["receipt", "missing.json", "keys.json"], "missing.json: "),
        (&["receipt", "cut.json", "keys.json"], "cut.json: expected a value at byte 13"),
        (&["receipt", "good.json", "cut.json"], "cut.json: expected a value at byte 13"),
        (&["receipt", "good.json", "list.json"], "list.json: not a list of keys"),
        (&["receipt", "good.json", "keys.json", "cut.json"], "cut.json: expected a value"),
        (&["receipt", "good.json"], "usage: "),
        (&["receipt"], "usage: "),
        (&[], "usage: "),
        (&["missing.json", "missing.bin"], "missing.json: "),
    ];
    for (arguments, expected) in cases {
        let (code, said, problem) = files.run(arguments);
        assert_eq!((code, said.as_str()), (Some(2), ""), "{:?}", arguments);
        assert!(problem.starts_with(expected), "{:?}: {}", arguments, problem);
    }
    // Readable JSON that is not a receipt is invalid.
    let (code, said, _) = files.run(&["receipt", "list.json", "keys.json"]);
    assert_eq!((code, said.as_str()), (Some(1), "invalid: receipt must be an object\n"));
}
