"""Proofs of the Merkle trees of RFC 6962, by the algorithms of RFC 9162 §2.1.

A root does not commit to the number of its leaves, so a size must come from the same signed
statement
as its root.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from .encoding import hex_to_bytes, is_hash_hex
from .json_value import is_safe_integer

HASH_BYTES = 32


def leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


class MerkleEdge:
    """The right edge of a growing tree, from which its root follows. One hash per leaf."""

    def __init__(self) -> None:
        self.size = 0
        #: The complete subtrees, left to right: the number of their levels, and their hashes.
        self._subtrees: list[tuple[int, bytes]] = []

    def append(self, leaf: bytes) -> None:
        level, node = 0, leaf
        while self._subtrees and self._subtrees[-1][0] == level:
            node = node_hash(self._subtrees.pop()[1], node)
            level += 1
        self._subtrees.append((level, node))
        self.size += 1

    def root(self) -> bytes:
        if not self._subtrees:
            return hashlib.sha256(b"").digest()
        *rest, (_, node) = self._subtrees
        for _, left in reversed(rest):
            node = node_hash(left, node)
        return node


def _is_count(value: object) -> bool:
    return is_safe_integer(value) and value >= 0  # type: ignore[operator]


def sibling_sides(index: int, size: int) -> list[str] | None:
    """The sides of the siblings on the path from a leaf to the root; None if there is no such leaf.
    """
    if not _is_count(index) or not _is_count(size) or index >= size:
        return None
    at, last = int(index), int(size) - 1
    sides: list[str] = []
    while last > 0:
        sides.append(_side(at, last))
        at, last = _rise(at, last)
    return sides


def root_from_inclusion(
    leaf: bytes, index: int, size: int, proof: Sequence[bytes]
) -> bytes | None:
    """The root that the path leads to; None if the proof does not have the shape of that path."""
    sides = sibling_sides(index, size)
    if sides is None or len(sides) != len(proof) or not _are_hashes([leaf, *proof]):
        return None
    node = leaf
    for side, sibling in zip(sides, proof):
        node = node_hash(sibling, node) if side == "left" else node_hash(node, sibling)
    return node


def verify_inclusion(
    leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> bool:
    return root_from_inclusion(leaf, index, size, proof) == root


def verify_consistency(
    first: int, second: int, first_root: bytes, second_root: bytes, proof: Sequence[bytes]
) -> bool:
    """Whether the first tree is a prefix of the second. An empty first tree is never accepted."""
    if not _is_count(first) or not _is_count(second) or not 1 <= first <= second:
        return False
    if not _are_hashes([first_root, second_root, *proof]):
        return False
    if first == second:
        return not proof and first_root == second_root
    return _roots_from_consistency(first, second, first_root, proof) == (first_root, second_root)


def _roots_from_consistency(
    first: int, second: int, first_root: bytes, proof: Sequence[bytes]
) -> tuple[bytes, bytes] | None:
    """RFC 9162 §2.1.4.2, steps 1 to 6, for first < second."""
    if not proof:
        return None
    at, last = int(first) - 1, int(second) - 1
    while at % 2 == 1:
        at, last = at // 2, last // 2
    # If the first tree is one complete subtree, its root is the start and is not in the proof.
    start, *rest = [first_root, *proof] if at == 0 else proof
    reached_first = reached_second = start
    for sibling in rest:
        if last == 0:
            return None
        if _side(at, last) == "left":
            reached_first = node_hash(sibling, reached_first)
            reached_second = node_hash(sibling, reached_second)
        else:
            reached_second = node_hash(reached_second, sibling)
        at, last = _rise(at, last)
    return (reached_first, reached_second) if last == 0 else None


def proof_from_path(index: int, size: int, path: Sequence[Any]) -> list[bytes] | None:
    """None unless the path has exactly the shape implied by index and size."""
    sides = sibling_sides(index, size)
    if sides is None or len(sides) != len(path):
        return None
    for side, item in zip(sides, path):
        if item["position"] != side or not is_hash_hex(item["hash"]):
            return None
    return [hex_to_bytes(item["hash"]) for item in path]


def _side(at: int, last: int) -> str:
    return "left" if at % 2 == 1 or at == last else "right"


def _rise(at: int, last: int) -> tuple[int, int]:
    """Moves to the parent. The last node of a level rises until it has a sibling."""
    if _side(at, last) == "left":
        while at % 2 == 0 and at > 0:
            at, last = at // 2, last // 2
    return at // 2, last // 2


def _are_hashes(hashes: Sequence[bytes]) -> bool:
    return all(len(one) == HASH_BYTES for one in hashes)
