//! Consistency proofs (RFC 9162 §2.1.4.2).

use crate::inclusion::node;
use crate::sha256::Digest;

pub struct Claim<'a> {
    pub first: u64,
    pub second: u64,
    pub first_root: Digest,
    pub second_root: Digest,
    pub proof: &'a [Digest],
}

/// Whether the first tree is a prefix of the second. An empty first tree is never accepted.
pub fn verify(claim: &Claim) -> bool {
    let Claim { first, second, first_root, second_root, proof } = *claim;
    if first == 0 || first > second {
        return false;
    }
    if first == second {
        return proof.is_empty() && first_root == second_root;
    }
    roots(claim) == Some((first_root, second_root)) && !proof.is_empty()
}

fn roots(claim: &Claim) -> Option<(Digest, Digest)> {
    let (mut at, mut last) = (claim.first - 1, claim.second - 1);
    while at % 2 == 1 {
        at /= 2;
        last /= 2;
    }
    // If the first tree is one complete subtree, its root is the start and not part of the proof.
    let (start, rest) = match claim.proof.split_first() {
        _ if at == 0 => (claim.first_root, claim.proof),
        Some((start, rest)) => (*start, rest),
        None => return None,
    };
    let (mut first, mut second) = (start, start);
    for sibling in rest {
        if last == 0 {
            return None;
        }
        if at % 2 == 1 || at == last {
            first = node(sibling, &first);
            second = node(sibling, &second);
            while at % 2 == 0 && at > 0 {
                at /= 2;
                last /= 2;
            }
        } else {
            second = node(&second, sibling);
        }
        at /= 2;
        last /= 2;
    }
    if last == 0 {
        Some((first, second))
    } else {
        None
    }
}
