//! Base64 (RFC 4648). Decoding is strict: of all texts that could stand for the same bytes, only
//! the one that an encoder writes is accepted.

const SHARED: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// With `+` and `/`, and padded to a multiple of four characters.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    if text.len() % 4 != 0 {
        return None;
    }
    let digits = text.trim_end_matches('=');
    if text.len() - digits.len() > 2 {
        return None;
    }
    decode_digits(digits, b"+/")
}

/// With `-` and `_`, and without padding, as in a JWK.
pub fn decode_url(text: &str) -> Option<Vec<u8>> {
    decode_digits(text, b"-_")
}

fn decode_digits(digits: &str, last_two: &[u8; 2]) -> Option<Vec<u8>> {
    // One digit holds six bits, less than a byte.
    if digits.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    let (mut held, mut bits) = (0u32, 0);
    for symbol in digits.bytes() {
        let value = SHARED.iter().chain(last_two).position(|known| *known == symbol)?;
        held = held << 6 | value as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    // Bits that no byte uses must be zero.
    if held == 0 {
        Some(bytes)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_rfc_are_decoded() {
        let pairs = [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ];
        for (text, expected) in pairs {
            assert_eq!(decode(text).as_deref(), Some(expected.as_bytes()), "{}", text);
            let short = text.trim_end_matches('=');
            assert_eq!(decode_url(short).as_deref(), Some(expected.as_bytes()), "{}", short);
        }
        assert_eq!(decode("+/+/"), Some(vec![0xfb, 0xff, 0xbf]));
        assert_eq!(decode_url("-_-_"), Some(vec![0xfb, 0xff, 0xbf]));
    }

    #[test]
    fn every_other_spelling_is_rejected() {
        let wrong = [
            "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm8", "Z===", "====", "=", "Zg==Zg==", "Zm 8",
            "Zm8=\n", " Zm9v", "-_-_", "Zm9v====", "Zm\u{e9}", "A", "AAAAA",
        ];
        for text in wrong {
            assert_eq!(decode(text), None, "{:?}", text);
        }
        for text in ["Zg==", "Zh", "Zm9", "Z", "+/+/", "Zm 8", "Zm8\n"] {
            assert_eq!(decode_url(text), None, "{:?}", text);
        }
    }
}
