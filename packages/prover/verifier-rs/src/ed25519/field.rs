//! Integers modulo p = 2^255 - 19, as five limbs of 51 bits, the lowest first.

const LIMB_BITS: u32 = 51;
const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;

/// 2p, limb by limb: larger than any limb that `carry` leaves, so a difference is never negative.
const TWICE_P: [u64; 5] =
    [0xfffffffffffda, 0xffffffffffffe, 0xffffffffffffe, 0xffffffffffffe, 0xffffffffffffe];

/// Every operation leaves limbs of at most 51 bits, the lowest slightly more.
#[derive(Clone, Copy, Debug)]
pub struct Element(pub [u64; 5]);

pub const ZERO: Element = Element([0; 5]);
pub const ONE: Element = Element([1, 0, 0, 0, 0]);

impl Element {
    /// Reads 255 bits, little-endian; the highest bit of the last byte is ignored.
    pub fn from_bytes(bytes: &[u8; 32]) -> Element {
        let mut limbs = [0; 5];
        for bit in 0..255u32 {
            let is_set = bytes[bit as usize / 8] >> (bit % 8) & 1;
            limbs[(bit / LIMB_BITS) as usize] |= u64::from(is_set) << (bit % LIMB_BITS);
        }
        Element(limbs)
    }

    /// The only encoding of this element: the number below p, little-endian.
    pub fn to_bytes(self) -> [u8; 32] {
        let Element(mut limbs) = carry(self.0);
        // The value is below 2p. Adding 19 overflows 2^255 exactly if it is p or more.
        let quotient = limbs.iter().fold(19, |over, limb| (limb + over) >> LIMB_BITS);
        let mut over = 19 * quotient;
        for limb in limbs.iter_mut() {
            *limb += over;
            over = *limb >> LIMB_BITS;
            *limb &= LIMB_MASK;
        }
        let mut bytes = [0; 32];
        for bit in 0..255u32 {
            let is_set = limbs[(bit / LIMB_BITS) as usize] >> (bit % LIMB_BITS) & 1;
            bytes[bit as usize / 8] |= (is_set as u8) << (bit % 8);
        }
        bytes
    }

    pub fn add(self, other: Element) -> Element {
        let mut limbs = self.0;
        for (limb, added) in limbs.iter_mut().zip(other.0) {
            *limb += added;
        }
        carry(limbs)
    }

    pub fn sub(self, other: Element) -> Element {
        let mut limbs = self.0;
        for (i, limb) in limbs.iter_mut().enumerate() {
            *limb = *limb + TWICE_P[i] - other.0[i];
        }
        carry(limbs)
    }

    pub fn negate(self) -> Element {
        ZERO.sub(self)
    }

    pub fn mul(self, other: Element) -> Element {
        let mut sums = [0u128; 5];
        for (i, left) in self.0.iter().enumerate() {
            for (j, right) in other.0.iter().enumerate() {
                // 2^255 is 19 modulo p, so limbs beyond the fifth return at the bottom.
                let factor = if i + j < 5 { 1 } else { 19 };
                sums[(i + j) % 5] += u128::from(*left) * u128::from(factor * right);
            }
        }
        let mut limbs = [0; 5];
        let mut over = 0;
        for (limb, sum) in limbs.iter_mut().zip(sums) {
            let total = sum + over;
            *limb = total as u64 & LIMB_MASK;
            over = total >> LIMB_BITS;
        }
        // The last sum has no factor 19, so `over` is below 2^55.
        limbs[0] += 19 * over as u64;
        carry(limbs)
    }

    pub fn square(self) -> Element {
        self.mul(self)
    }

    /// self^(2^bits - below), which covers every exponent that the curve needs. `below` is not 0.
    pub fn power(self, bits: u32, below: u8) -> Element {
        let low = 256 - u32::from(below);
        (0..bits).rev().fold(ONE, |result, bit| {
            let squared = result.square();
            // All bits from the ninth on are ones.
            if bit >= 8 || low >> bit & 1 == 1 {
                squared.mul(self)
            } else {
                squared
            }
        })
    }

    /// self^(p - 2): the inverse, or 0 for 0.
    pub fn invert(self) -> Element {
        self.power(255, 21)
    }

    /// Whether the number below p is odd; the sign of x in an encoded point.
    pub fn is_odd(self) -> bool {
        self.to_bytes()[0] & 1 == 1
    }

    pub fn is_zero(self) -> bool {
        self == ZERO
    }
}

impl PartialEq for Element {
    fn eq(&self, other: &Element) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}

/// Moves the bits beyond the 51st of each limb to the next, and from the last to the first.
fn carry(mut limbs: [u64; 5]) -> Element {
    let mut over = 0;
    for limb in limbs.iter_mut() {
        *limb += over;
        over = *limb >> LIMB_BITS;
        *limb &= LIMB_MASK;
    }
    limbs[0] += 19 * over;
    Element(limbs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(value: u64) -> Element {
        Element([value, 0, 0, 0, 0])
    }

    #[test]
    fn numbers_from_p_on_are_reduced_when_they_are_encoded() {
        let mut p = [0xff; 32];
        (p[0], p[31]) = (0xed, 0x7f);
        for extra in 0..19 {
            let mut bytes = p;
            bytes[0] += extra;
            let mut expected = [0; 32];
            expected[0] = extra;
            assert_eq!(Element::from_bytes(&bytes).to_bytes(), expected);
        }
        p[0] -= 1;
        assert_eq!(Element::from_bytes(&p).to_bytes(), p);
        assert_eq!(ONE.negate().to_bytes(), p);
    }

    #[test]
    fn the_operations_follow_the_rules_of_a_field() {
        let mut value = small(0x1234_5678_9abc);
        for round in 0..200 {
            value = value.square().add(small(round)).negate();
            let other = value.add(small(3)).square();
            assert!(value.mul(value.invert()) == ONE, "round {}", round);
            assert!(value.add(other).sub(other) == value);
            assert!(value.sub(other) == other.sub(value).negate());
            assert!(
                value.add(other).square().sub(value.sub(other).square()) == {
                    small(4).mul(value).mul(other)
                }
            );
            assert_eq!(Element::from_bytes(&value.to_bytes()).to_bytes(), value.to_bytes());
        }
        assert!(ZERO.invert().is_zero());
    }
}
