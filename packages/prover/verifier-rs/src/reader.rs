//! Strict reading: exact lengths, canonical elements, no trailing bytes.

use crate::extension::{Extension, DEGREE};
use crate::field::P;
use crate::sha256::Digest;

pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(source: &'a [u8]) -> Reader<'a> {
        Reader { rest: source }
    }

    pub fn bytes(&mut self, length: usize) -> Result<&'a [u8], String> {
        if self.rest.len() < length {
            return Err("the proof is truncated".into());
        }
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(taken)
    }

    pub fn element(&mut self) -> Result<u64, String> {
        let bytes = self.bytes(4)?;
        let value = u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        if value < P {
            Ok(value)
        } else {
            Err("the proof contains a non-canonical field element".into())
        }
    }

    pub fn elements(&mut self, count: usize) -> Result<Vec<u64>, String> {
        (0..count).map(|_| self.element()).collect()
    }

    pub fn extensions(&mut self, count: usize) -> Result<Vec<Extension>, String> {
        let mut all = Vec::with_capacity(count);
        for _ in 0..count {
            let mut parts = [0; DEGREE];
            for part in parts.iter_mut() {
                *part = self.element()?;
            }
            all.push(Extension(parts));
        }
        Ok(all)
    }

    pub fn digest(&mut self) -> Result<Digest, String> {
        let mut digest = [0; 32];
        digest.copy_from_slice(self.bytes(32)?);
        Ok(digest)
    }

    pub fn digests(&mut self, count: usize) -> Result<Vec<Digest>, String> {
        (0..count).map(|_| self.digest()).collect()
    }

    pub fn end(&self) -> Result<(), String> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err("unexpected bytes after the end of the proof".into())
        }
    }
}
