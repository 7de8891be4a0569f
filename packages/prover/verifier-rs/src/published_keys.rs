//! The published signing keys, as GET /v1/keys returns them.

use crate::json::Value;
use crate::{base64, ed25519, hex, sha256};

pub struct PublishedKeys {
    /// Id and raw public key.
    keys: Vec<(String, Vec<u8>)>,
}

impl PublishedKeys {
    /// Fails unless the document is an object with a list `keys`. Unusable keys are ignored, so
    /// that a key of another kind does not make the others useless. The key of the log is one: it
    /// signs no certificate and no receipt.
    pub fn read(document: &Value) -> Result<PublishedKeys, String> {
        match document.member("keys") {
            Some(Value::List(items)) => {
                Ok(PublishedKeys { keys: items.iter().filter_map(read_key).collect() })
            }
            _ => Err("not a list of keys: there must be an array named keys".into()),
        }
    }

    pub fn find(&self, id: &str) -> Option<&[u8]> {
        self.keys.iter().find(|(known, _)| known == id).map(|(_, key)| key.as_slice())
    }
}

/// None unless the id is derived from the key, so that no other key can be published under it.
fn read_key(item: &Value) -> Option<(String, Vec<u8>)> {
    if matches!(item.member("use"), Some(Value::Text(usage)) if usage == "log") {
        return None;
    }
    match (item.member("key_id"), item.member("x")) {
        (Some(Value::Text(id)), Some(Value::Text(x))) => {
            let key = base64::decode_url(x)?;
            let is_usable = key.len() == ed25519::PUBLIC_KEY_BYTES && *id == key_id(&key);
            if is_usable {
                Some((id.clone(), key))
            } else {
                None
            }
        }
        _ => None,
    }
}

/// `key-` and the first 16 hex digits of the SHA-256 of the raw public key.
fn key_id(public_key: &[u8]) -> String {
    format!("key-{}", hex::encode(&sha256::digest(public_key)[..8]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    /// The example of the specification (evidence: keys).
    const ID: &str = "key-21fe31dfa154a261";
    const X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

    fn found(id: &str, x: &str) -> bool {
        let text = format!(r#"{{"keys":[{{}},7,{{"key_id":"{}","x":"{}","kty":"OKP"}}]}}"#, id, x);
        let keys = PublishedKeys::read(&parse(text.as_bytes()).expect("JSON")).expect("keys");
        keys.find(id).is_some()
    }

    #[test]
    fn a_key_is_found_only_under_the_id_that_is_derived_from_it() {
        assert!(found(ID, X));
        assert!(!found("key-21fe31dfa154a262", X));
        assert!(!found("key-21FE31DFA154A261", X));
        assert!(!found(ID, &X.replace("11q", "12q")));
        assert!(!found(ID, &format!("{}=", X)));
        assert!(!found(ID, &X[..42]));
    }

    #[test]
    fn the_key_of_the_log_is_not_found() {
        for (usage, is_found) in [("sig", true), ("log", false)] {
            let text = format!(r#"{{"keys":[{{"key_id":"{}","x":"{}","use":"{}"}}]}}"#, ID, X, usage);
            let keys = PublishedKeys::read(&parse(text.as_bytes()).expect("JSON")).expect("keys");
            assert_eq!(keys.find(ID).is_some(), is_found);
        }
    }

    #[test]
    fn a_document_without_a_list_of_keys_is_unreadable() {
        for text in ["[]", "{}", r#"{"keys":{}}"#, "null"] {
            assert!(PublishedKeys::read(&parse(text.as_bytes()).expect("JSON")).is_err());
        }
    }
}
