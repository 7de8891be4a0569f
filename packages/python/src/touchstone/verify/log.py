"""Proofs that a record is in the public log, as certificates carry them beside what was signed.

They are verified up to the checkpoint of the log that they lead to. Its signatures are not: that
needs a trust policy, and a reader of C2SP logs or `touchstone verify certificate --policy FILE`.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Any

from .encoding import base64_to_bytes, hex_to_bytes, is_hash_hex, parse_instant
from .json_value import canonical_json
from .merkle import leaf_hash, verify_inclusion
from .shape import Shape, ShapeProblem, count, obj, text

TYPES = (
    "approval",
    "checkpoint",
    "containment",
    "decisions",
    "key",
    "outcome",
    "policy",
    "reclassification",
    "score",
)

_TAG = re.compile(r"[0-9a-f]{32}")
_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z")
_COUNT = re.compile(r"0|[1-9][0-9]{0,15}")
_HEADER = "c2sp.org/tlog-proof@v1"
_PATH_MAX = 63


def _any_object(value: Any, path: str) -> list[ShapeProblem]:
    return [] if isinstance(value, dict) else [ShapeProblem(path, "type", "must be an object")]


LOG_PROOF: Shape = obj(
    {
        "index": count,
        "entry": obj({"at": text, "hash": text, "org": text, "type": text, "v": count}),
        "nonce": text,
        "record": _any_object,
        "proof": text,
    }
)


def log_fault(log: dict[str, Any]) -> str | None:
    """Why a proof whose shape is already checked does not hold; None if it does."""
    entry = log["entry"]
    if not _is_entry(entry):
        return "not a log entry of version 1"
    if not _opens(entry, log):
        return "the record and its nonce do not open the entry"
    proof = _parse_proof(log["proof"])
    if proof is None:
        return "the proof is malformed"
    index, path, size, root = proof
    if index != log["index"]:
        return "the proof is of another index"
    leaf = leaf_hash(canonical_json(entry).encode("utf-8"))
    if not verify_inclusion(leaf, index, size, path, root):
        return "the path does not lead from the entry to the root"
    return None


def _is_entry(entry: dict[str, Any]) -> bool:
    return (
        _INSTANT.fullmatch(entry["at"]) is not None
        and parse_instant(entry["at"]) is not None
        and is_hash_hex(entry["hash"])
        and _TAG.fullmatch(entry["org"]) is not None
        and entry["type"] in TYPES
        and entry["v"] == 1
    )


def _opens(entry: dict[str, Any], log: dict[str, Any]) -> bool:
    if not is_hash_hex(log["nonce"]):
        return False
    try:
        record = canonical_json(log["record"]).encode("utf-8")
    except (TypeError, ValueError, RecursionError):
        return False
    digest = hmac.new(hex_to_bytes(log["nonce"]), record, hashlib.sha256).hexdigest()
    return digest == entry["hash"]


def _parse_proof(proof: str) -> tuple[int, list[bytes], int, bytes] | None:
    head, separator, checkpoint = proof.partition("\n\n")
    header, *lines = head.split("\n")
    if header != _HEADER or not separator:
        return None
    if lines and lines[0].startswith("extra "):
        if base64_to_bytes(lines.pop(0)[len("extra ") :]) is None:
            return None
    place, *path = lines or [""]
    index = _count(place[len("index ") :]) if place.startswith("index ") else None
    hashes = [base64_to_bytes(one) for one in path]
    # The lines of a checkpoint: origin, size, root. Extensions and signatures follow.
    body = checkpoint.split("\n")
    size = _count(body[1]) if len(body) > 2 else None
    root = base64_to_bytes(body[2]) if len(body) > 2 else None
    known = [one for one in hashes if one is not None]
    if index is None or size is None or root is None or len(root) != 32:
        return None
    if len(known) != len(path) or len(path) > _PATH_MAX:
        return None
    return index, known, size, root


def _count(digits: str) -> int | None:
    return int(digits) if _COUNT.fullmatch(digits) else None
