//! Integers modulo p = 2^31 - 2^27 + 1, as u64 below p.

pub const P: u64 = 2_013_265_921;
pub const GENERATOR: u64 = 31;
const TWO_ADICITY: u32 = 27;

pub fn add(a: u64, b: u64) -> u64 {
    (a + b) % P
}

pub fn sub(a: u64, b: u64) -> u64 {
    (a + P - b) % P
}

pub fn mul(a: u64, b: u64) -> u64 {
    a * b % P
}

pub fn pow(base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    let mut square = base;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = mul(result, square);
        }
        square = mul(square, square);
        exponent >>= 1;
    }
    result
}

pub fn inverse(a: u64) -> u64 {
    pow(a, P - 2)
}

/// A root of unity of the given order, a power of two.
pub fn root_of_unity(order: usize) -> u64 {
    pow(pow(GENERATOR, 15), (1u64 << TWO_ADICITY) / order as u64)
}
