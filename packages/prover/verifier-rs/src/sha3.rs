//! SHAKE128 and SHAKE256 (FIPS 202).

const ROUNDS: usize = 24;

#[rustfmt::skip]
const ROTATIONS: [u32; 24] = [
    1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44,
];

#[rustfmt::skip]
const LANES: [usize; 24] = [
    10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1,
];

/// The output of a SHAKE function, of any length.
pub struct Stream {
    state: [u64; 25],
    rate: usize,
    read: usize,
}

pub fn shake128(parts: &[&[u8]]) -> Stream {
    Stream::absorb(168, parts)
}

pub fn shake256(parts: &[&[u8]]) -> Stream {
    Stream::absorb(136, parts)
}

impl Stream {
    fn absorb(rate: usize, parts: &[&[u8]]) -> Stream {
        let mut stream = Stream { state: [0; 25], rate, read: 0 };
        let mut at = 0;
        for byte in parts.iter().copied().flatten() {
            stream.mix(at, *byte);
            at += 1;
            if at == rate {
                permute(&mut stream.state);
                at = 0;
            }
        }
        stream.mix(at, 0x1f);
        stream.mix(rate - 1, 0x80);
        permute(&mut stream.state);
        stream
    }

    fn mix(&mut self, at: usize, byte: u8) {
        self.state[at / 8] ^= u64::from(byte) << (8 * (at % 8));
    }

    pub fn byte(&mut self) -> u8 {
        if self.read == self.rate {
            permute(&mut self.state);
            self.read = 0;
        }
        let byte = (self.state[self.read / 8] >> (8 * (self.read % 8))) as u8;
        self.read += 1;
        byte
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.byte()).collect()
    }
}

/// Keccak-f[1600].
fn permute(a: &mut [u64; 25]) {
    let mut feedback = 1u8;
    for _ in 0..ROUNDS {
        let mut c = [0; 5];
        for (i, lane) in a.iter().enumerate() {
            c[i % 5] ^= lane;
        }
        for (i, lane) in a.iter_mut().enumerate() {
            *lane ^= c[(i + 4) % 5] ^ c[(i + 1) % 5].rotate_left(1);
        }
        let mut moved = a[1];
        for (place, rotation) in LANES.into_iter().zip(ROTATIONS) {
            let next = a[place];
            a[place] = moved.rotate_left(rotation);
            moved = next;
        }
        for row in a.chunks_exact_mut(5) {
            let old = [row[0], row[1], row[2], row[3], row[4]];
            for i in 0..5 {
                row[i] = old[i] ^ (!old[(i + 1) % 5] & old[(i + 2) % 5]);
            }
        }
        // The round constant has the output of a shift register at the bits 2^j - 1.
        for j in 0..7 {
            if feedback & 1 == 1 {
                a[0] ^= 1 << ((1u32 << j) - 1);
            }
            feedback = feedback << 1 ^ if feedback & 0x80 != 0 { 0x71 } else { 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    #[test]
    fn the_examples_of_the_standard_are_computed() {
        let empty = "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26";
        assert_eq!(hex::encode(&shake128(&[]).bytes(32)), empty);
        let empty = "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f";
        assert_eq!(hex::encode(&shake256(&[]).bytes(32)), empty);
        // 1600 bits of 10100011, from the examples of FIPS 202.
        let long = [0xa3; 200];
        let expected = "131ab8d2b594946b9c81333f9bb6e0ce75c3b93104fa3469d3917457385da037";
        assert_eq!(hex::encode(&shake128(&[&long[..7], &long[7..]]).bytes(32)), expected);
        let mut stream = shake256(&[&long]);
        assert_eq!(hex::encode(&stream.bytes(4)), "cd8a920e");
        assert_eq!(stream.bytes(1000).len(), 1000);
    }
}
