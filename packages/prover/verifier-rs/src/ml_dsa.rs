//! Verification of ML-DSA-44 signatures (FIPS 204, pure, with an empty context). Names and algorithm
//! numbers are those of the standard.

use crate::sha3::{shake128, shake256};

pub const PUBLIC_KEY_BYTES: usize = 1312;
const SIGNATURE_BYTES: usize = 2420;
const Q: i64 = 8_380_417;
const N: usize = 256;
/// Rows and columns of the matrix A.
const K: usize = 4;
const L: usize = 4;
const D: u32 = 13;
const TAU: usize = 39;
const GAMMA1: i64 = 1 << 17;
const GAMMA2: i64 = (Q - 1) / 88;
const BETA: i64 = 78;
const OMEGA: usize = 80;
const SEED_BYTES: usize = 32;
const CHALLENGE_BYTES: usize = 32;
const MU_BYTES: usize = 64;
const Z_BITS: usize = 18;
const T1_BITS: usize = 10;
const W1_BITS: usize = 6;
/// A 512th root of unity.
const ZETA: i64 = 1753;

type Polynomial = [i64; N];

/// Whether the signature is valid. Other lengths make it invalid.
pub fn verify(message: &[u8], signature: &[u8], public_key: &[u8]) -> bool {
    if public_key.len() != PUBLIC_KEY_BYTES || signature.len() != SIGNATURE_BYTES {
        return false;
    }
    let (challenge, rest) = signature.split_at(CHALLENGE_BYTES);
    let (packed, hints) = rest.split_at(L * N * Z_BITS / 8);
    let z: Vec<Polynomial> = packed
        .chunks(N * Z_BITS / 8)
        .map(|part| unpack(part, Z_BITS).map(|v| GAMMA1 - v))
        .collect();
    let is_small = z.iter().flatten().all(|value| value.abs() < GAMMA1 - BETA);
    let hints = match decode_hints(hints) {
        Some(hints) if is_small => hints,
        _ => return false,
    };
    let tr = shake256(&[public_key]).bytes(MU_BYTES);
    let mu = shake256(&[&tr, &[0, 0], message]).bytes(MU_BYTES);
    let w1 = reconstruct(public_key, sample_in_ball(challenge), z, &hints);
    shake256(&[&mu, &w1]).bytes(CHALLENGE_BYTES) == challenge
}

/// Algorithm 8, lines 9 and 10: UseHint of A z - c t1 2^d, encoded.
fn reconstruct(
    public_key: &[u8],
    c: Polynomial,
    z: Vec<Polynomial>,
    hints: &[[bool; N]],
) -> Vec<u8> {
    let zetas = zetas();
    let (rho, t1) = public_key.split_at(SEED_BYTES);
    let c = ntt(c, &zetas);
    let z: Vec<Polynomial> = z.into_iter().map(|part| ntt(part, &zetas)).collect();
    let rows = t1.chunks(N * T1_BITS / 8).zip(hints).enumerate();
    let encoded = rows.flat_map(|(row, (t1, hint))| {
        let t1 = ntt(unpack(t1, T1_BITS).map(|value| value << D), &zetas);
        let mut sum = [0; N];
        for (column, z) in z.iter().enumerate() {
            let a = rej_ntt_poly(&[rho, &[column as u8, row as u8]]);
            for i in 0..N {
                sum[i] = (sum[i] + a[i] * z[i]) % Q;
            }
        }
        for i in 0..N {
            sum[i] = (sum[i] - c[i] * t1[i]).rem_euclid(Q);
        }
        let mut w1 = inverse_ntt(sum, &zetas);
        for (value, hint) in w1.iter_mut().zip(hint) {
            *value = use_hint(*hint, *value);
        }
        pack(&w1, W1_BITS)
    });
    encoded.collect()
}

/// Algorithm 21: each set of hints has one encoding.
fn decode_hints(bytes: &[u8]) -> Option<Vec<[bool; N]>> {
    let (places, ends) = bytes.split_at(OMEGA);
    let mut hints = Vec::with_capacity(K);
    let mut index = 0;
    for end in ends {
        let end = usize::from(*end);
        let row = places.get(index..end)?;
        if row.windows(2).any(|pair| pair[0] >= pair[1]) {
            return None;
        }
        let mut hint = [false; N];
        for place in row {
            hint[usize::from(*place)] = true;
        }
        hints.push(hint);
        index = end;
    }
    if places[index..].iter().all(|byte| *byte == 0) {
        Some(hints)
    } else {
        None
    }
}

/// Algorithm 29: 39 coefficients of 1 or -1, and zeros.
fn sample_in_ball(seed: &[u8]) -> Polynomial {
    let mut stream = shake256(&[seed]);
    let signs = stream.bytes(8);
    let mut c = [0; N];
    for i in N - TAU..N {
        let mut j = usize::from(stream.byte());
        while j > i {
            j = usize::from(stream.byte());
        }
        c[i] = c[j];
        let bit = i + TAU - N;
        c[j] = if signs[bit / 8] >> (bit % 8) & 1 == 1 { Q - 1 } else { 1 };
    }
    c
}

/// Algorithm 30: uniform coefficients, three bytes at a time.
fn rej_ntt_poly(seed: &[&[u8]]) -> Polynomial {
    let mut stream = shake128(seed);
    let mut a = [0; N];
    let mut filled = 0;
    while filled < N {
        let bytes = stream.bytes(3);
        let value =
            i64::from(bytes[0]) | i64::from(bytes[1]) << 8 | i64::from(bytes[2] & 0x7f) << 16;
        if value < Q {
            a[filled] = value;
            filled += 1;
        }
    }
    a
}

/// Algorithms 36 and 40.
fn use_hint(hint: bool, value: i64) -> i64 {
    let steps = (Q - 1) / (2 * GAMMA2);
    let mut low = value % (2 * GAMMA2);
    if low > GAMMA2 {
        low -= 2 * GAMMA2;
    }
    let mut high = (value - low) / (2 * GAMMA2);
    if value - low == Q - 1 {
        high = 0;
        low -= 1;
    }
    match hint {
        false => high,
        true if low > 0 => (high + 1) % steps,
        true => (high + steps - 1) % steps,
    }
}

/// Algorithm 41.
fn ntt(mut w: Polynomial, zetas: &Polynomial) -> Polynomial {
    let (mut m, mut length) = (0, N / 2);
    while length >= 1 {
        for start in (0..N).step_by(2 * length) {
            m += 1;
            for j in start..start + length {
                let t = zetas[m] * w[j + length] % Q;
                w[j + length] = (w[j] - t).rem_euclid(Q);
                w[j] = (w[j] + t).rem_euclid(Q);
            }
        }
        length /= 2;
    }
    w
}

/// Algorithm 42.
fn inverse_ntt(mut w: Polynomial, zetas: &Polynomial) -> Polynomial {
    let (mut m, mut length) = (N, 1);
    while length < N {
        for start in (0..N).step_by(2 * length) {
            m -= 1;
            for j in start..start + length {
                let t = w[j];
                w[j] = (t + w[j + length]) % Q;
                w[j + length] = -zetas[m] * (t - w[j + length]) % Q;
            }
        }
        length *= 2;
    }
    let inverse = power(N as i64, Q - 2);
    w.map(|value| (value * inverse).rem_euclid(Q))
}

/// Powers of the root of unity, in the order of reversed bits.
fn zetas() -> Polynomial {
    let mut zetas = [0; N];
    for (index, zeta) in zetas.iter_mut().enumerate() {
        *zeta = power(ZETA, i64::from((index as u8).reverse_bits()));
    }
    zetas
}

fn power(base: i64, exponent: i64) -> i64 {
    let (mut result, mut square, mut rest) = (1, base % Q, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = result * square % Q;
        }
        square = square * square % Q;
        rest >>= 1;
    }
    result
}

/// 256 numbers of this many bits, the lowest bits first.
fn unpack(bytes: &[u8], bits: usize) -> Polynomial {
    let mut values = [0; N];
    for bit in 0..N * bits {
        values[bit / bits] |= i64::from(bytes[bit / 8] >> (bit % 8) & 1) << (bit % bits);
    }
    values
}

fn pack(values: &Polynomial, bits: usize) -> Vec<u8> {
    let mut bytes = vec![0; N * bits / 8];
    for bit in 0..N * bits {
        bytes[bit / 8] |= ((values[bit / bits] >> (bit % bits) & 1) as u8) << (bit % 8);
    }
    bytes
}
