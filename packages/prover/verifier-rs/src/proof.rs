//! The bytes of a proof.

use crate::extension::{Extension, DEGREE};
use crate::fri;
use crate::merkle;
use crate::program::Program;
use crate::reader::Reader;
use crate::sha256::Digest;

const MAGIC: &[u8] = b"TSP1";
const SALT_BYTES: usize = 16;

/// Everything that the prover commits to before positions are drawn.
pub struct Claims {
    pub trace_root: Digest,
    pub quotient_root: Digest,
    pub current: Vec<Extension>,
    pub next: Vec<Extension>,
    pub segments: Vec<Extension>,
    pub layer_roots: Vec<Digest>,
    pub last: Vec<Extension>,
    pub nonce: Vec<u8>,
}

impl Claims {
    pub fn read(reader: &mut Reader, program: &Program) -> Result<Claims, String> {
        if reader.bytes(MAGIC.len())? != MAGIC {
            return Err("not a Touchstone proof: the magic bytes are missing".into());
        }
        Ok(Claims {
            trace_root: reader.digest()?,
            quotient_root: reader.digest()?,
            current: reader.extensions(program.columns)?,
            next: reader.extensions(program.columns)?,
            segments: reader.extensions(program.segments)?,
            layer_roots: reader.digests(fri::layers(program).0.len())?,
            last: reader.extensions(program.final_coefficients)?,
            nonce: reader.bytes(8)?.to_vec(),
        })
    }
}

/// Opened leaves of one tree.
pub struct Openings {
    pub indices: Vec<usize>,
    pub leaves: Vec<Vec<u64>>,
    salts: Vec<Vec<u8>>,
    siblings: Vec<Digest>,
    depth: usize,
}

impl Openings {
    fn read(
        reader: &mut Reader,
        indices: &[usize],
        (width, size, salt_bytes): (usize, usize, usize),
    ) -> Result<Openings, String> {
        let depth = size.trailing_zeros() as usize;
        let mut salts = Vec::new();
        for _ in indices {
            salts.push(reader.bytes(salt_bytes)?.to_vec());
        }
        let mut leaves = Vec::new();
        for _ in indices {
            leaves.push(reader.elements(width)?);
        }
        let siblings = reader.digests(merkle::sibling_count(indices, depth))?;
        Ok(Openings { indices: indices.to_vec(), leaves, salts, siblings, depth })
    }

    pub fn check(&self, root: &Digest) -> Result<(), String> {
        let mut digests = Vec::new();
        for ((index, salt), values) in self.indices.iter().zip(&self.salts).zip(&self.leaves) {
            let mut content = salt.clone();
            content.extend(crate::transcript::element_bytes(values.iter().copied()));
            digests.push((*index, merkle::leaf(&content)));
        }
        if merkle::root(&digests, &self.siblings, self.depth).as_ref() == Some(root) {
            Ok(())
        } else {
            Err("an opened value does not match its commitment".into())
        }
    }
}

pub struct Answers {
    pub trace: Openings,
    pub quotient: Openings,
    pub layers: Vec<Openings>,
}

impl Answers {
    pub fn read(
        reader: &mut Reader,
        program: &Program,
        positions: &[usize],
    ) -> Result<Answers, String> {
        let size = program.domain_size();
        let trace_width = program.columns + DEGREE;
        let trace = Openings::read(reader, positions, (trace_width, size, SALT_BYTES))?;
        let quotient_width = program.segments * DEGREE;
        let quotient = Openings::read(reader, positions, (quotient_width, size, SALT_BYTES))?;
        let mut layers = Vec::new();
        let mut indices = positions.to_vec();
        for layer in fri::layers(program).0 {
            let leaves = layer.size / program.folding;
            indices = ascending(indices.iter().map(|index| index % leaves).collect());
            let shape = (program.folding * DEGREE, leaves, 0);
            layers.push(Openings::read(reader, &indices, shape)?);
        }
        reader.end()?;
        Ok(Answers { trace, quotient, layers })
    }
}

/// Sorts and deduplicates indices.
pub fn ascending(mut indices: Vec<usize>) -> Vec<usize> {
    indices.sort_unstable();
    indices.dedup();
    indices
}

pub fn to_extensions(values: &[u64]) -> Vec<Extension> {
    let mut all = Vec::new();
    for chunk in values.chunks_exact(DEGREE) {
        let mut parts = [0; DEGREE];
        parts.copy_from_slice(chunk);
        all.push(Extension(parts));
    }
    all
}
