//! The JSON parser and canonical JSON.

mod dice;

use dice::Dice;
use touchstone_verifier::canonical;
use touchstone_verifier::json::{self, parse, Value};

const RECEIPTS: &[u8] = include_bytes!("../../../../vectors/policy/decision-receipts.json");

fn canonical_of(text: &str) -> String {
    canonical::write(&parse(text.as_bytes()).expect(text))
}

#[test]
fn values_have_one_canonical_text() {
    let pairs = [
        (" null ", "null"),
        ("[true , false]", "[true,false]"),
        ("{}", "{}"),
        ("[ ]", "[]"),
        ("[1.0, -0, 1e2, 0.10, 1E-7, 1e+1]", "[1,0,100,0.1,1e-7,10]"),
        ("9007199254740993", "9007199254740992"),
        ("1e-400", "0"),
        (r#"{"b":1,"a":{"d":[],"c":2}}"#, r#"{"a":{"c":2,"d":[]},"b":1}"#),
        (r#""\u0041\/\u00fc\ud83d\ude02""#, "\"A/ü😂\""),
        (
            r#""\b\t\n\f\r\u0000\u001F\"\\\u007f\u2028""#,
            "\"\\b\\t\\n\\f\\r\\u0000\\u001f\\\"\\\\\u{7f}\u{2028}\"",
        ),
    ];
    for (text, expected) in pairs {
        assert_eq!(canonical_of(text), expected);
        assert_eq!(canonical_of(expected), expected);
    }
}

#[test]
fn the_example_of_the_rfc_is_written_as_there() {
    let text = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    let expected = concat!(
        r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#,
        r#""string":"€$\u000f\nA'B\"\\\\\"/"}"#
    );
    assert_eq!(canonical_of(text), expected);
}

#[test]
fn names_are_sorted_by_utf16_code_units() {
    let text =
        "{\"\u{20ac}\":1,\"\\r\":2,\"\u{fb33}\":3,\"1\":4,\"\u{1f600}\":5,\"\u{80}\":6,\"ö\":7}";
    let expected =
        "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}";
    assert_eq!(canonical_of(text), expected);
}

#[test]
fn texts_that_are_not_strict_json_are_rejected() {
    let wrong = [
        "",
        " ",
        "nul",
        "nulll",
        "True",
        "NaN",
        "Infinity",
        "+1",
        "01",
        "-",
        "-01",
        "1.",
        ".5",
        "1e",
        "1e+",
        "0x1",
        "1_000",
        "1e309",
        "-1e999",
        "1 2",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "]",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "{\"a\" 1}",
        "{1:1}",
        "\"",
        "\"a",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\u+123\"",
        "\"a\nb\"",
        "\"\u{1}\"",
        "'a'",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"\\ud800\\ud800\"",
        "\"\\ud800\\n\"",
        "\"\\ud83d",
        "\"\\ud83d\\",
        "// no\n1",
        "\u{feff}1",
        "\u{a0}1",
        "1\u{0}",
        "{\"a\":1,\"a\":1}",
        "{\"a\":1,\"\\u0061\":2}",
        "[{\"b\":{\"c\":1,\"d\":2,\"c\":3}}]",
    ];
    for text in wrong {
        assert!(parse(text.as_bytes()).is_err(), "{:?}", text);
    }
    for bytes in [&b"\"\xff\""[..], b"\"\xed\xa0\x80\"", b"\"\xc0\xaf\"", b"\xef\xbb\xbf1"] {
        assert!(parse(bytes).is_err(), "{:?}", bytes);
    }
}

#[test]
fn a_message_says_what_is_wrong_and_where() {
    let message = |text: &str| parse(text.as_bytes()).expect_err(text);
    assert_eq!(message("{\"a\":1,\"a\":2}"), "duplicate name at byte 7");
    assert_eq!(message("[1,]"), "expected a value at byte 3");
    assert_eq!(message("\"\\ud800\""), "lone surrogate at byte 7");
}

#[test]
fn depth_and_size_are_limited() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(nested(json::DEPTH_MAX).as_bytes()).is_ok());
    assert!(parse(nested(json::DEPTH_MAX + 1).as_bytes()).is_err());
    assert!(parse("[".repeat(json::BYTES_MAX).as_bytes()).is_err());
    assert!(parse("{\"a\":".repeat(10_000).as_bytes()).is_err());
    let padded = |length: usize| " ".repeat(length - 1) + "1";
    assert_eq!(parse(padded(json::BYTES_MAX).as_bytes()), Ok(Value::Number(1.0)));
    assert!(parse(padded(json::BYTES_MAX + 1).as_bytes()).is_err());
}

#[test]
fn a_truncated_document_is_rejected() {
    for end in 0..6_000 {
        assert!(parse(&RECEIPTS[..end]).is_err(), "cut at {}", end);
    }
    let whole = canonical::write(&parse(RECEIPTS).expect("JSON"));
    for end in (0..whole.len()).step_by(97) {
        assert!(parse(&whole.as_bytes()[..end]).is_err(), "cut at {}", end);
    }
}

/// Neither random text nor damaged documents may panic; what is read has one canonical text.
#[test]
fn no_input_panics() {
    let alphabet: Vec<&str> =
        "{ } [ ] , : \" \\ \\u \\ud83d \\ude02 0 1 -1 .5 e+ null true a é 😂 \u{1} \n"
            .split(' ')
            .collect();
    let mut dice = Dice(5);
    let mut read = 0;
    for _ in 0..60_000 {
        let length = dice.roll(14);
        let mut bytes: Vec<u8> =
            (0..length).flat_map(|_| alphabet[dice.roll(alphabet.len())].bytes()).collect();
        if dice.roll(4) == 0 && !bytes.is_empty() {
            let at = dice.roll(bytes.len());
            bytes[at] = dice.roll(256) as u8;
        }
        if let Ok(value) = parse(&bytes) {
            let text = canonical::write(&value);
            assert_eq!(parse(text.as_bytes()), Ok(value));
            read += 1;
        }
    }
    assert!(read > 500, "only {} texts were JSON", read);
}
