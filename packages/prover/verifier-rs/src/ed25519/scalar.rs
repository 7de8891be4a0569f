//! Integers modulo L, the order of the base point, as four limbs of 64 bits, the lowest first.

/// L = 2^252 + 27742317777372353535851937790883648493.
const ORDER: [u64; 4] = [0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, 0x1000000000000000];

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalar([u64; 4]);

impl Scalar {
    /// Reads a number, little-endian. None if it is L or more: then it is another spelling of a
    /// smaller one.
    pub fn from_canonical_bytes(bytes: &[u8; 32]) -> Option<Scalar> {
        let mut limbs = [0; 4];
        for (limb, part) in limbs.iter_mut().zip(bytes.chunks_exact(8)) {
            *limb = part.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        }
        if is_below_order(&limbs) {
            Some(Scalar(limbs))
        } else {
            None
        }
    }

    /// The remainder of a number, little-endian, by long division bit by bit.
    pub fn reduce(bytes: &[u8; 64]) -> Scalar {
        let mut limbs = [0; 4];
        for bit in (0..512).rev() {
            let next = u64::from(bytes[bit / 8] >> (bit % 8) & 1);
            // The remainder is below 2^253, so doubling it does not overflow.
            limbs = double_plus(&limbs, next);
            if !is_below_order(&limbs) {
                limbs = minus_order(&limbs);
            }
        }
        Scalar(limbs)
    }

    pub fn bit(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }
}

fn is_below_order(limbs: &[u64; 4]) -> bool {
    limbs.iter().rev().lt(ORDER.iter().rev())
}

fn double_plus(limbs: &[u64; 4], lowest: u64) -> [u64; 4] {
    let mut doubled = [0; 4];
    let mut over = lowest;
    for (out, limb) in doubled.iter_mut().zip(limbs) {
        *out = limb << 1 | over;
        over = limb >> 63;
    }
    doubled
}

fn minus_order(limbs: &[u64; 4]) -> [u64; 4] {
    let mut difference = [0; 4];
    let mut borrow = false;
    for (i, out) in difference.iter_mut().enumerate() {
        let (first, is_under) = limbs[i].overflowing_sub(ORDER[i]);
        let (second, is_under_too) = first.overflowing_sub(u64::from(borrow));
        *out = second;
        borrow = is_under || is_under_too;
    }
    difference
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order_bytes() -> [u8; 32] {
        let mut bytes = [0; 32];
        for (part, limb) in bytes.chunks_exact_mut(8).zip(ORDER) {
            part.copy_from_slice(&limb.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn the_order_and_all_larger_numbers_are_not_canonical() {
        let mut bytes = order_bytes();
        assert_eq!(Scalar::from_canonical_bytes(&bytes), None);
        bytes[0] -= 1;
        assert!(Scalar::from_canonical_bytes(&bytes).is_some());
        bytes[31] += 1;
        assert_eq!(Scalar::from_canonical_bytes(&bytes), None);
        assert_eq!(Scalar::from_canonical_bytes(&[0xff; 32]), None);
    }

    #[test]
    fn reduction_removes_multiples_of_the_order() {
        let mut wide = [0; 64];
        wide[..32].copy_from_slice(&order_bytes());
        assert_eq!(Scalar::reduce(&wide), Scalar([0; 4]));
        wide[0] += 5;
        assert_eq!(Scalar::reduce(&wide), Scalar([5, 0, 0, 0]));
        // 256 L + 7.
        wide = [0; 64];
        wide[1..33].copy_from_slice(&order_bytes());
        wide[0] = 7;
        assert_eq!(Scalar::reduce(&wide), Scalar([7, 0, 0, 0]));
    }
}
