//! Polynomials over the field modulo X^5 - 2.

use crate::field;

pub const DEGREE: usize = 5;
const NON_RESIDUE: u64 = 2;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extension(pub [u64; DEGREE]);

pub const ZERO: Extension = Extension([0; DEGREE]);
pub const ONE: Extension = Extension([1, 0, 0, 0, 0]);

impl Extension {
    pub fn base(value: u64) -> Extension {
        Extension([value, 0, 0, 0, 0])
    }

    pub fn add(self, other: Extension) -> Extension {
        let mut sum = self.0;
        for (part, added) in sum.iter_mut().zip(other.0) {
            *part = field::add(*part, added);
        }
        Extension(sum)
    }

    pub fn sub(self, other: Extension) -> Extension {
        let mut difference = self.0;
        for (part, taken) in difference.iter_mut().zip(other.0) {
            *part = field::sub(*part, taken);
        }
        Extension(difference)
    }

    pub fn scale(self, by: u64) -> Extension {
        Extension(self.0.map(|part| field::mul(part, by)))
    }

    pub fn mul(self, other: Extension) -> Extension {
        let mut wide = [0u64; 2 * DEGREE - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                wide[i + j] = field::add(wide[i + j], field::mul(*a, *b));
            }
        }
        let mut reduced = [0u64; DEGREE];
        for (i, part) in wide.iter().enumerate() {
            let back = if i < DEGREE { *part } else { field::mul(*part, NON_RESIDUE) };
            reduced[i % DEGREE] = field::add(reduced[i % DEGREE], back);
        }
        Extension(reduced)
    }

    pub fn pow(self, mut exponent: u64) -> Extension {
        let mut result = ONE;
        let mut square = self;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result.mul(square);
            }
            square = square.mul(square);
            exponent >>= 1;
        }
        result
    }

    /// Uses a^-1 = a^(p + p^2 + p^3 + p^4) / norm, raising to the power p step by step.
    pub fn inverse(self) -> Extension {
        let mut conjugate = self;
        let mut others = ONE;
        for _ in 1..DEGREE {
            conjugate = conjugate.pow(field::P);
            others = others.mul(conjugate);
        }
        others.scale(field::inverse(self.mul(others).0[0]))
    }
}

/// Evaluates the polynomial with these coefficients, constant term first.
pub fn evaluate(coefficients: &[Extension], at: Extension) -> Extension {
    coefficients.iter().rev().fold(ZERO, |sum, coefficient| sum.mul(at).add(*coefficient))
}

/// The sum of each value times its coefficient.
pub fn weighted(values: &[Extension], by: &[Extension]) -> Extension {
    values.iter().zip(by).fold(ZERO, |sum, (value, weight)| sum.add(value.mul(*weight)))
}
