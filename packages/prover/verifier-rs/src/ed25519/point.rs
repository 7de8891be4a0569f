//! Points of the curve -x² + y² = 1 + d·x²·y², in extended coordinates: x = X/Z, y = Y/Z and
//! T = X·Y/Z (RFC 8032 §5.1.4). Not constant-time: for public values only.

use super::field::{Element, ONE, ZERO};
use super::scalar::Scalar;

/// -121665 / 121666.
const D: Element =
    Element([0x34dca135978a3, 0x1a8283b156ebd, 0x5e7a26001c029, 0x739c663a03cbb, 0x52036cee2b6ff]);
/// A square root of -1.
const ROOT_OF_MINUS_ONE: Element =
    Element([0x61b274a0ea0b0, 0xd5a5fc8f189d, 0x7ef5e9cbd0c60, 0x78595a6804c9e, 0x2b8324804fc1d]);

#[derive(Clone, Copy, Debug)]
pub struct Point {
    x: Element,
    y: Element,
    z: Element,
    t: Element,
}

const IDENTITY: Point = Point { x: ZERO, y: ONE, z: ONE, t: ZERO };

impl Point {
    /// The base point: y = 4/5, x even.
    pub fn base() -> Option<Point> {
        let mut encoded = [0x66; 32];
        encoded[0] = 0x58;
        Point::decode(&encoded)
    }

    /// None unless the bytes are the canonical encoding of a point: y below p, and not "minus
    /// zero" as x.
    pub fn decode(encoded: &[u8; 32]) -> Option<Point> {
        let is_odd = encoded[31] >> 7 == 1;
        let mut y_bytes = *encoded;
        y_bytes[31] &= 0x7f;
        let y = Element::from_bytes(&y_bytes);
        if y.to_bytes() != y_bytes {
            return None;
        }
        let root = x_of(y)?;
        if root.is_zero() && is_odd {
            return None;
        }
        let x = if root.is_odd() == is_odd { root } else { root.negate() };
        Some(Point { x, y, z: ONE, t: x.mul(y) })
    }

    pub fn encode(self) -> [u8; 32] {
        let inverse = self.z.invert();
        let mut bytes = self.y.mul(inverse).to_bytes();
        bytes[31] |= u8::from(self.x.mul(inverse).is_odd()) << 7;
        bytes
    }

    /// Correct for all pairs of points, equal and opposite ones included, because d is not a
    /// square.
    pub fn add(self, other: Point) -> Point {
        let a = self.y.sub(self.x).mul(other.y.sub(other.x));
        let b = self.y.add(self.x).mul(other.y.add(other.x));
        let c = self.t.mul(other.t).mul(D.add(D));
        let d = self.z.mul(other.z.add(other.z));
        let (e, f, g, h) = (b.sub(a), d.sub(c), d.add(c), b.add(a));
        Point { x: e.mul(f), y: g.mul(h), z: f.mul(g), t: e.mul(h) }
    }

    pub fn negate(self) -> Point {
        Point { x: self.x.negate(), t: self.t.negate(), ..self }
    }

    /// Whether eight times the point is the identity. A signature with such a key binds nothing.
    pub fn has_small_order(self) -> bool {
        let twice = self.add(self);
        let four_times = twice.add(twice);
        let result = four_times.add(four_times);
        result.x.is_zero() && result.y == result.z
    }
}

/// [a]P + [b]Q.
pub fn sum_of_multiples(a: &Scalar, p: Point, b: &Scalar, q: Point) -> Point {
    let both = p.add(q);
    (0..256).rev().fold(IDENTITY, |sum, bit| {
        let doubled = sum.add(sum);
        match (a.bit(bit), b.bit(bit)) {
            (false, false) => doubled,
            (true, false) => doubled.add(p),
            (false, true) => doubled.add(q),
            (true, true) => doubled.add(both),
        }
    })
}

/// One of the two x of a y: a square root of (y² - 1) / (d·y² + 1), if there is one (RFC 8032
/// §5.1.3).
fn x_of(y: Element) -> Option<Element> {
    let square = y.square();
    let (u, v) = (square.sub(ONE), D.mul(square).add(ONE));
    let v3 = v.square().mul(v);
    let v7 = v3.square().mul(v);
    // The exponent is (p - 5) / 8.
    let candidate = u.mul(v3).mul(u.mul(v7).power(252, 3));
    let reached = v.mul(candidate.square());
    if reached == u {
        Some(candidate)
    } else if reached == u.negate() {
        Some(candidate.mul(ROOT_OF_MINUS_ONE))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(value: u64) -> Element {
        Element([value, 0, 0, 0, 0])
    }

    #[test]
    fn the_constants_are_what_they_are_said_to_be() {
        assert!(D.mul(small(121_666)) == small(121_665).negate());
        assert!(ROOT_OF_MINUS_ONE.square() == ONE.negate());
        let base = Point::base().expect("the base point");
        assert!(base.y.mul(small(5)) == small(4));
        assert!(!base.x.is_odd() && !base.has_small_order());
    }

    #[test]
    fn the_order_of_the_base_point_is_l() {
        let base = Point::base().expect("the base point");
        let mut order_minus_one = [0; 32];
        let l = [
            0xec, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9,
            0xde, 0x14,
        ];
        order_minus_one[..16].copy_from_slice(&l);
        order_minus_one[31] = 0x10;
        let scalar = Scalar::from_canonical_bytes(&order_minus_one).expect("below the order");
        let zero = Scalar::from_canonical_bytes(&[0; 32]).expect("zero");
        let reached = sum_of_multiples(&scalar, base, &zero, base);
        assert_eq!(reached.encode(), base.negate().encode());
        assert_eq!(reached.add(base).encode(), IDENTITY.encode());
    }

    #[test]
    fn multiples_are_the_same_as_repeated_additions() {
        let base = Point::base().expect("the base point");
        let other = base.add(base).add(base).negate();
        let mut sum = IDENTITY;
        for times in 0..40u8 {
            let mut bytes = [0; 32];
            bytes[0] = times;
            let scalar = Scalar::from_canonical_bytes(&bytes).expect("below the order");
            let reached = sum_of_multiples(&scalar, base, &scalar, other);
            assert_eq!(reached.encode(), sum.encode(), "{} times", times);
            sum = sum.add(base).add(other);
        }
    }

    #[test]
    fn a_decoded_point_has_the_same_encoding() {
        let mut found = 0;
        for y in 0..100 {
            for sign in [0, 0x80] {
                let mut bytes = [0; 32];
                (bytes[0], bytes[31]) = (y, sign);
                if let Some(point) = Point::decode(&bytes) {
                    assert_eq!(point.encode(), bytes);
                    found += 1;
                }
            }
        }
        assert!(found > 50 && found < 150, "{} points", found);
    }
}
