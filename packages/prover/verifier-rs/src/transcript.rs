//! Fiat–Shamir transcript with SHA-256: the state is a hash of everything absorbed so far, in
//! order.

use crate::extension::{Extension, DEGREE};
use crate::field::P;
use crate::sha256::{digest, digest_of, Digest};

const ABSORB: [u8; 1] = [0];
const SQUEEZE: [u8; 1] = [1];
const GRIND: [u8; 1] = [2];

pub struct Transcript {
    state: Digest,
    counter: u32,
    words: Vec<u32>,
}

impl Transcript {
    pub fn new() -> Transcript {
        Transcript { state: digest(b"touchstone-stark 1"), counter: 0, words: Vec::new() }
    }

    pub fn absorb(&mut self, said: &[u8]) {
        self.state = digest_of(&[&ABSORB, &self.state, said]);
        self.counter = 0;
        self.words.clear();
    }

    pub fn absorb_elements(&mut self, elements: impl IntoIterator<Item = u64>) {
        self.absorb(&element_bytes(elements));
    }

    fn word(&mut self) -> u32 {
        if self.words.is_empty() {
            let block = digest_of(&[&SQUEEZE, &self.state, &self.counter.to_le_bytes()]);
            self.counter += 1;
            let words = block.chunks_exact(4).rev();
            self.words = words.map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        }
        self.words.pop().unwrap_or(0)
    }

    fn element(&mut self) -> u64 {
        loop {
            let candidate = u64::from(self.word() & 0x7fff_ffff);
            if candidate < P {
                return candidate;
            }
        }
    }

    pub fn extension(&mut self) -> Extension {
        let mut parts = [0; DEGREE];
        for part in parts.iter_mut() {
            *part = self.element();
        }
        Extension(parts)
    }

    pub fn extensions(&mut self, count: usize) -> Vec<Extension> {
        (0..count).map(|_| self.extension()).collect()
    }

    /// Positions below a power of two.
    pub fn positions(&mut self, count: usize, below: usize) -> Vec<usize> {
        (0..count).map(|_| self.word() as usize & (below - 1)).collect()
    }

    pub fn is_ground(&self, nonce: &[u8], bits: u32) -> bool {
        let work = digest_of(&[&GRIND, &self.state, nonce]);
        u32::from_be_bytes([work[0], work[1], work[2], work[3]]).leading_zeros() >= bits
    }
}

pub fn element_bytes(elements: impl IntoIterator<Item = u64>) -> Vec<u8> {
    elements.into_iter().flat_map(|element| (element as u32).to_le_bytes()).collect()
}
