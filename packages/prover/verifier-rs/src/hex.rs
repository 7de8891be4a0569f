//! Lower-case hex, the only spelling of a hash that is accepted.

use crate::sha256::Digest;

pub fn encode(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{:02x}", byte)).collect()
}

/// None unless the text is 64 lower-case hex digits.
pub fn decode_hash(text: &str) -> Option<Digest> {
    let digits = text.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let mut hash = [0; 32];
    for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = 16 * digit(pair[0])? + digit(pair[1])?;
    }
    Some(hash)
}

fn digit(symbol: u8) -> Option<u8> {
    match symbol {
        b'0'..=b'9' => Some(symbol - b'0'),
        b'a'..=b'f' => Some(symbol - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_64_lower_case_digits() {
        let text = "00ff".repeat(16);
        let hash = decode_hash(&text).expect("a hash");
        assert_eq!(encode(&hash), text);
        for wrong in [&text[2..], &text.to_uppercase(), &text.replace('f', "g"), &"é".repeat(32)] {
            assert_eq!(decode_hash(wrong), None, "{}", wrong);
        }
    }
}
