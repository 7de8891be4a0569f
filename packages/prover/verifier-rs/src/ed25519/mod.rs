//! Verification of Ed25519 signatures (RFC 8032), with rules that leave a signature no second
//! spelling and let it bind its key and message:
//! - S is below L, and R and the public key are canonical encodings of points;
//! - neither R nor the public key is of small order, as in libsodium;
//! - the equation is the one without cofactor: the encoding of [S]B - [k]A is R, byte for byte.

mod field;
mod point;
mod scalar;

use crate::sha512;
use point::{sum_of_multiples, Point};
use scalar::Scalar;

pub const PUBLIC_KEY_BYTES: usize = 32;

/// Whether the signature is valid. Lengths other than 64 and 32 bytes make it invalid.
pub fn verify(message: &[u8], signature: &[u8], public_key: &[u8]) -> bool {
    is_valid(message, signature, public_key) == Some(true)
}

/// None if a part is malformed.
fn is_valid(message: &[u8], signature: &[u8], public_key: &[u8]) -> Option<bool> {
    let public_key: [u8; PUBLIC_KEY_BYTES] = public_key.try_into().ok()?;
    let signature: [u8; 64] = signature.try_into().ok()?;
    let (r, s) = signature.split_at(32);
    let r: [u8; 32] = r.try_into().ok()?;
    let s = Scalar::from_canonical_bytes(&s.try_into().ok()?)?;
    let key = Point::decode(&public_key)?;
    if key.has_small_order() || Point::decode(&r)?.has_small_order() {
        return None;
    }
    let hashed: [&[u8]; 3] = [&r, &public_key, message];
    let k = Scalar::reduce(&sha512::digest(&hashed.concat()));
    let expected = sum_of_multiples(&s, Point::base()?, &k, key.negate());
    Some(expected.encode() == r)
}
