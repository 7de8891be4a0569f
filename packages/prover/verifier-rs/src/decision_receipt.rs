//! Receipts of gateway decisions: signed statements about a tool call. Version 1 signs the
//! statement. Version 2 signs the root of a batch of statements, and the receipt carries the path
//! from its statement to that root.

use crate::inclusion::{self, Path, Sibling};
use crate::json::{Object, Value};
use crate::published_keys::PublishedKeys;
use crate::shape::Fields;
use crate::{base64, canonical, ed25519, hex, sha256};

/// Part of the signed text, so that nothing else signed with the same key can pass for a receipt.
const CONTEXT: &str = "urn:touchstone:decision-receipt:v1";
/// Signed with the root, so that a root of another kind of tree cannot pass for a batch.
const BATCH_TYPE: &str = "touchstone.decisions";
const BATCH_VERSION: f64 = 2.0;
const DECISIONS: [&str; 4] = ["allow", "warn", "escalate", "block"];

/// The signed facts that a reader needs to see or to compare.
#[derive(Debug)]
pub struct Statement<'a> {
    pub decision_id: &'a str,
    pub decision: &'a str,
    pub agent_id: &'a str,
    pub tool: &'a str,
    pub decided_at: &'a str,
    arguments_hash: Option<&'a str>,
}

impl Statement<'_> {
    /// Whether the decision is about a call with these arguments.
    pub fn is_about(&self, arguments: &Value) -> bool {
        let hash = sha256::digest(canonical::write(arguments).as_bytes());
        self.arguments_hash == Some(hex::encode(&hash).as_str())
    }
}

struct Signature<'a> {
    key_id: &'a str,
    value: &'a str,
}

struct Batch<'a> {
    at: &'a str,
    root: &'a str,
    path: Path<'a>,
}

/// The receipt in a document: its member `receipt`, as in a response of the API, or else the
/// document itself.
pub fn find(document: &Value) -> &Value {
    document.member("receipt").unwrap_or(document)
}

/// The statement of a valid receipt, or the reason why it is invalid. The caller must compare the
/// statement with the call in question.
pub fn verify<'a>(receipt: &'a Value, keys: &PublishedKeys) -> Result<Statement<'a>, String> {
    let is_batched = receipt.member("batch").is_some();
    let names: &[&str] =
        if is_batched { &["statement", "batch", "signature"] } else { &["statement", "signature"] };
    let fields = Fields::of(receipt, "receipt", names)?;
    let document = fields.get("statement")?;
    let statement = read_statement(document)?;
    let signature = read_signature(fields.get("signature")?)?;
    let payload = canonical::write(document);
    let signed = if is_batched {
        let batch = read_batch(fields.get("batch")?)?;
        let reached = inclusion::root(payload.as_bytes(), &batch.path);
        if reached.map(|root| hex::encode(&root)).as_deref() != Some(batch.root) {
            return Err("the path does not lead from the statement to the root".into());
        }
        batch_payload(&batch)
    } else {
        payload
    };
    check_signature(&signed, &signature, keys)?;
    Ok(statement)
}

fn read_statement(value: &Value) -> Result<Statement<'_>, String> {
    let names = [
        "@context",
        "agent_id",
        "arguments_hash",
        "decided_at",
        "decision",
        "decision_id",
        "escalation_id",
        "policy_id",
        "policy_version",
        "tool",
        "transaction_id",
    ];
    let fields = Fields::of(value, "statement", &names)?;
    fields.one_of("@context", &[CONTEXT])?;
    fields.text_or_null("escalation_id")?;
    fields.text_or_null("policy_id")?;
    fields.count_or_null("policy_version")?;
    fields.text_or_null("transaction_id")?;
    Ok(Statement {
        decision_id: fields.text("decision_id")?,
        decision: fields.one_of("decision", &DECISIONS)?,
        agent_id: fields.text("agent_id")?,
        tool: fields.text("tool")?,
        decided_at: fields.text("decided_at")?,
        arguments_hash: fields.text_or_null("arguments_hash")?,
    })
}

fn read_signature(value: &Value) -> Result<Signature<'_>, String> {
    let fields = Fields::of(value, "signature", &["algorithm", "key_id", "value"])?;
    fields.one_of("algorithm", &["Ed25519"])?;
    Ok(Signature { key_id: fields.text("key_id")?, value: fields.text("value")? })
}

fn read_batch(value: &Value) -> Result<Batch<'_>, String> {
    let fields = Fields::of(value, "batch", &["at", "index", "path", "root", "size"])?;
    let siblings: Result<Vec<Sibling>, String> =
        fields.list("path")?.iter().map(read_sibling).collect();
    Ok(Batch {
        at: fields.text("at")?,
        root: fields.text("root")?,
        path: Path {
            index: fields.count("index")?,
            size: fields.count("size")?,
            siblings: siblings?,
        },
    })
}

fn read_sibling(value: &Value) -> Result<Sibling<'_>, String> {
    let fields = Fields::of(value, "path", &["hash", "position"])?;
    Ok(Sibling { hash: fields.text("hash")?, position: fields.text("position")? })
}

/// The text that is signed for a batch.
fn batch_payload(batch: &Batch) -> String {
    let head = Object::from([
        ("at".into(), Value::Text(batch.at.into())),
        ("root".into(), Value::Text(batch.root.into())),
        ("size".into(), Value::Number(batch.path.size as f64)),
        ("type".into(), Value::Text(BATCH_TYPE.into())),
        ("v".into(), Value::Number(BATCH_VERSION)),
    ]);
    canonical::write(&Value::Object(head))
}

fn check_signature(
    signed: &str,
    signature: &Signature,
    keys: &PublishedKeys,
) -> Result<(), String> {
    let key = keys.find(signature.key_id).ok_or("the key is not among the published keys")?;
    let value = base64::decode(signature.value).ok_or("the signature is not valid base64")?;
    if ed25519::verify(signed.as_bytes(), &value, key) {
        Ok(())
    } else {
        Err("not a valid Ed25519 signature".into())
    }
}
