//! Multi-leaf openings, in which a digest shared by several paths is sent once.

use crate::sha256::{digest_of, Digest};
use std::collections::BTreeMap;

const LEAF: [u8; 1] = [0];
const NODE: [u8; 1] = [1];

pub fn leaf(content: &[u8]) -> Digest {
    digest_of(&[&LEAF, content])
}

/// The number of siblings that an opening of these leaves needs.
pub fn sibling_count(indices: &[usize], depth: usize) -> usize {
    let mut known: Vec<usize> = indices.to_vec();
    let mut count = 0;
    for _ in 0..depth {
        count += known.iter().filter(|index| known.binary_search(&(**index ^ 1)).is_err()).count();
        known = known.iter().map(|index| index / 2).collect();
        known.dedup();
    }
    count
}

/// Computes the root from leaves, by ascending index, and siblings.
pub fn root(leaves: &[(usize, Digest)], siblings: &[Digest], depth: usize) -> Option<Digest> {
    let mut known: BTreeMap<usize, Digest> = leaves.iter().copied().collect();
    let mut given = siblings.iter();
    for _ in 0..depth {
        let mut above = BTreeMap::new();
        for (index, own) in &known {
            if above.contains_key(&(index / 2)) {
                continue;
            }
            let other = match known.get(&(index ^ 1)) {
                Some(digest) => digest,
                None => given.next()?,
            };
            let (left, right) = if index % 2 == 0 { (own, other) } else { (other, own) };
            above.insert(index / 2, digest_of(&[&NODE, left, right]));
        }
        known = above;
    }
    if given.next().is_some() {
        return None;
    }
    known.get(&0).copied()
}
