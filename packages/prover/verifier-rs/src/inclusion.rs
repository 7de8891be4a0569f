//! Inclusion in a Merkle tree of RFC 6962, with the path as receipts write it.

use crate::hex;
use crate::sha256::{digest_of, Digest};

const LEAF: [u8; 1] = [0];
const NODE: [u8; 1] = [1];
const LEFT: &str = "left";

/// One sibling of a path, from the leaf to the root.
pub struct Sibling<'a> {
    /// Hex.
    pub hash: &'a str,
    /// `left` or `right`. It follows from index and size, and must match them.
    pub position: &'a str,
}

pub struct Path<'a> {
    pub index: u64,
    pub size: u64,
    pub siblings: Vec<Sibling<'a>>,
}

/// The root that the path leads to; None unless it has exactly the shape that index and size imply.
pub fn root(leaf: &[u8], path: &Path) -> Option<Digest> {
    let sides = sides(path.index, path.size)?;
    if path.siblings.len() != sides.len() {
        return None;
    }
    let mut hashes = Vec::with_capacity(sides.len());
    for (sibling, side) in path.siblings.iter().zip(&sides) {
        if sibling.position != *side {
            return None;
        }
        hashes.push(hex::decode_hash(sibling.hash)?);
    }
    root_from(leaf, path.index, path.size, &hashes)
}

/// The same with the siblings alone, whose sides follow from index and size.
pub fn root_from(leaf: &[u8], index: u64, size: u64, siblings: &[Digest]) -> Option<Digest> {
    let sides = sides(index, size)?;
    if siblings.len() != sides.len() {
        return None;
    }
    let join = |hash: Digest, (sibling, side): (&Digest, &&str)| match *side {
        LEFT => node(sibling, &hash),
        _ => node(&hash, sibling),
    };
    Some(siblings.iter().zip(&sides).fold(leaf_hash(leaf), join))
}

pub fn leaf_hash(leaf: &[u8]) -> Digest {
    digest_of(&[&LEAF, leaf])
}

pub fn node(left: &Digest, right: &Digest) -> Digest {
    digest_of(&[&NODE, left, right])
}

/// The sides of the siblings from the leaf to the root; None if there is no such leaf.
fn sides(index: u64, size: u64) -> Option<Vec<&'static str>> {
    if index >= size {
        return None;
    }
    let mut sides = Vec::new();
    // The node's index on its level, and the index of the last node of that level.
    let (mut at, mut last) = (index, size - 1);
    while last > 0 {
        if at % 2 == 1 || at == last {
            sides.push(LEFT);
            // The last node of a level rises without a sibling until it is a right child.
            while at % 2 == 0 {
                at /= 2;
                last /= 2;
            }
        } else {
            sides.push("right");
        }
        at /= 2;
        last /= 2;
    }
    Some(sides)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MTH of RFC 6962 §2.1, by its definition.
    fn tree(leaves: &[Vec<u8>]) -> Digest {
        match leaves {
            [only] => digest_of(&[&LEAF, only]),
            _ => {
                let (left, right) = leaves.split_at(split(leaves.len()));
                digest_of(&[&NODE, &tree(left), &tree(right)])
            }
        }
    }

    /// PATH of RFC 6962 §2.1.1, with the side of each sibling.
    fn path(index: usize, leaves: &[Vec<u8>]) -> Vec<(String, &'static str)> {
        if leaves.len() == 1 {
            return Vec::new();
        }
        let at = split(leaves.len());
        let (left, right) = leaves.split_at(at);
        let (mut below, sibling, side) = if index < at {
            (path(index, left), tree(right), "right")
        } else {
            (path(index - at, right), tree(left), "left")
        };
        below.push((hex::encode(&sibling), side));
        below
    }

    fn split(size: usize) -> usize {
        (0..).map(|power| 1 << power).take_while(|width| *width < size).last().unwrap_or(0)
    }

    fn claim(index: u64, size: u64, siblings: &[(String, &'static str)]) -> Path<'static> {
        let leak = |hash: &String| -> &'static str { Box::leak(hash.clone().into_boxed_str()) };
        let siblings =
            siblings.iter().map(|(hash, position)| Sibling { hash: leak(hash), position });
        Path { index, size, siblings: siblings.collect() }
    }

    #[test]
    fn every_leaf_of_every_small_tree_is_included_at_its_place_only() {
        let leaves: Vec<Vec<u8>> = (0..19u8).map(|i| vec![i; 3]).collect();
        for size in 1..=leaves.len() {
            let expected = Some(tree(&leaves[..size]));
            for index in 0..size {
                let siblings = path(index, &leaves[..size]);
                let (index, size) = (index as u64, size as u64);
                let leaf = &leaves[index as usize];
                assert_eq!(root(leaf, &claim(index, size, &siblings)), expected);
                for wrong in (0..24).filter(|wrong| *wrong != index) {
                    assert_ne!(root(leaf, &claim(wrong, size, &siblings)), expected);
                }
            }
        }
    }

    #[test]
    fn a_path_of_another_shape_is_rejected() {
        let leaves: Vec<Vec<u8>> = (0..11u8).map(|i| vec![i]).collect();
        for index in 0..11 {
            let siblings = path(index as usize, &leaves);
            let refuse = |size, changed: &[(String, &'static str)]| {
                assert_eq!(root(&[index as u8], &claim(index, size, changed)), None);
            };
            refuse(11, &siblings[1..]);
            refuse(11, &[siblings.clone(), vec![siblings[0].clone()]].concat());
            refuse(0, &siblings);
            refuse(index, &siblings);
            for at in 0..siblings.len() {
                let mut changed = siblings.clone();
                changed[at].1 = if changed[at].1 == "left" { "right" } else { "left" };
                refuse(11, &changed);
                changed[at].1 = "";
                refuse(11, &changed);
                changed = siblings.clone();
                changed[at].0 = changed[at].0.to_uppercase() + " ";
                refuse(11, &changed);
            }
        }
    }

    #[test]
    fn the_largest_size_neither_panics_nor_runs_long() {
        let hash = "00".repeat(32);
        let largest = (1u64 << 53) - 1;
        for index in [0, 1, largest / 2, largest - 1] {
            for count in [0, 1, 52, 53, 54, 200] {
                let sides = [(hash.clone(), "left"), (hash.clone(), "right")];
                for side in &sides {
                    root(b"", &claim(index, largest, &vec![side.clone(); count]));
                }
            }
        }
    }
}
