//! Signed notes (c2sp.org/signed-note) with Ed25519 signatures, and cosignatures with Ed25519 and
//! ML-DSA-44.

use super::checkpoint;
use crate::sha256::digest_of;
use crate::{base64, ed25519, hex, ml_dsa};

const SIGNATURES_MAX: usize = 100;
const ID_BYTES: usize = 4;
const TIME_BYTES: usize = 8;
const TIME_MAX: u64 = (1 << 53) - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyType {
    /// Signs the text of a note: 0x01.
    Ed25519,
    /// Signs a time and the text of a checkpoint: 0x04.
    Cosignature,
    /// Signs a time and the tree of a checkpoint: 0x06.
    MlDsa44,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    pub name: String,
    pub id: [u8; ID_BYTES],
    pub kind: KeyType,
    pub public_key: Vec<u8>,
}

impl Key {
    /// Reads `<name>+<8 hex digits>+<base64>`.
    pub fn parse(vkey: &str) -> Result<Key, String> {
        let parts: Vec<&str> = vkey.splitn(3, '+').collect();
        let (name, id, encoded) = match parts[..] {
            [name, id, encoded] if is_name(name) => (name, id, encoded),
            _ => return Err("a vkey must be <name>+<id>+<base64>".into()),
        };
        let material = base64::decode(encoded).ok_or("the key of a vkey must be base64")?;
        let digest = digest_of(&[name.as_bytes(), b"\n", &material]);
        let derived = [digest[0], digest[1], digest[2], digest[3]];
        if hex::encode(&derived) != id {
            return Err(format!("the key id of {} does not belong to its key", name));
        }
        let kind = match material.first() {
            Some(1) => KeyType::Ed25519,
            Some(4) => KeyType::Cosignature,
            Some(6) => KeyType::MlDsa44,
            _ => return Err(format!("the signature type of {} is not supported", name)),
        };
        let public_key = material[1..].to_vec();
        let length = match kind {
            KeyType::MlDsa44 => ml_dsa::PUBLIC_KEY_BYTES,
            _ => ed25519::PUBLIC_KEY_BYTES,
        };
        if public_key.len() != length {
            return Err(format!("the key of {} must have {} bytes", name, length));
        }
        Ok(Key { name: name.into(), id: derived, kind, public_key })
    }

    /// None unless the signature is valid.
    fn verify(&self, body: &str, signature: &[u8]) -> Option<()> {
        let key = &self.public_key;
        if self.kind == KeyType::Ed25519 {
            return Some(()).filter(|_| ed25519::verify(body.as_bytes(), signature, key));
        }
        let time = signature.get(..TIME_BYTES)?;
        let rest = &signature[TIME_BYTES..];
        let seconds = u64::from_be_bytes(time.try_into().ok()?);
        let valid = match self.kind {
            KeyType::MlDsa44 => ml_dsa::verify(&self.cosigned_tree(body, time)?, rest, key),
            _ => {
                let message = format!("cosignature/v1\ntime {}\n{}", seconds, body);
                ed25519::verify(message.as_bytes(), rest, key)
            }
        };
        Some(()).filter(|_| valid && seconds <= TIME_MAX)
    }

    /// The statement that is signed with ML-DSA-44; None if a name is too long for it.
    fn cosigned_tree(&self, body: &str, time: &[u8]) -> Option<Vec<u8>> {
        let (origin, size, root) = checkpoint::head(body)?;
        let mut statement = b"subtree/v1\n\0".to_vec();
        statement.push(self.name.len().try_into().ok()?);
        statement.extend(self.name.as_bytes());
        statement.extend(time);
        statement.push(origin.len().try_into().ok()?);
        statement.extend(origin.as_bytes());
        statement.extend(0u64.to_be_bytes());
        statement.extend(size.to_be_bytes());
        statement.extend(root);
        Some(statement)
    }
}

fn is_name(name: &str) -> bool {
    let is_forbidden = |c: char| c.is_whitespace() || c.is_control() || c == '+' || c == '\u{feff}';
    !name.is_empty() && !name.chars().any(is_forbidden)
}

pub struct Signature {
    name: String,
    id: [u8; ID_BYTES],
    bytes: Vec<u8>,
}

pub struct Note {
    /// With its final line feed.
    pub body: String,
    pub signatures: Vec<Signature>,
}

pub fn parse(text: &str) -> Result<Note, String> {
    let split = text.rfind("\n\n").ok_or("a note needs an empty line before its signatures")?;
    if text.bytes().any(|byte| byte < 0x20 && byte != b'\n') {
        return Err("a note must not contain control characters".into());
    }
    let lines = text[split + 2..].strip_suffix('\n').ok_or("a note must end in a line feed")?;
    let lines: Vec<&str> = lines.split('\n').collect();
    if lines.len() > SIGNATURES_MAX {
        return Err(format!("a note must have at most {} signatures", SIGNATURES_MAX));
    }
    let signatures: Option<Vec<Signature>> = lines.into_iter().map(parse_signature).collect();
    let signatures = signatures.ok_or("a note has a malformed signature line")?;
    Ok(Note { body: text[..split + 1].into(), signatures })
}

fn parse_signature(line: &str) -> Option<Signature> {
    let (name, encoded) = line.strip_prefix("— ")?.split_once(' ')?;
    let bytes = base64::decode(encoded)?;
    if !is_name(name) || bytes.len() <= ID_BYTES {
        return None;
    }
    let (id, signature) = bytes.split_at(ID_BYTES);
    Some(Signature { name: name.into(), id: id.try_into().ok()?, bytes: signature.into() })
}

/// The keys that signed. Unknown keys are ignored; a wrong signature of a known key is an error.
pub fn verify<'a>(note: &Note, keys: &[&'a Key]) -> Result<Vec<&'a Key>, String> {
    let mut verified: Vec<&Key> = Vec::new();
    for signature in &note.signatures {
        let known = keys.iter().find(|key| key.name == signature.name && key.id == signature.id);
        let key = match known {
            Some(key) if !verified.contains(key) => key,
            _ => continue,
        };
        if key.verify(&note.body, &signature.bytes).is_none() {
            return Err(format!("the signature of {} does not verify", key.name));
        }
        verified.push(key);
    }
    Ok(verified)
}
