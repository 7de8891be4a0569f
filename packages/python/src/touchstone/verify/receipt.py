"""Verification of decision receipts, versions 1 and 2, without the service.

Version 1 signs the statement. Version 2 signs the root of a batch and carries the path to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .encoding import base64_to_bytes, hex_to_bytes, is_hash_hex
from .ed25519 import verify_ed25519
from .json_value import canonical_json
from .keys import SIGNATURE_ALGORITHM, UNKNOWN_KEY, TrustedKey, find_key
from .merkle import leaf_hash, proof_from_path, verify_inclusion
from .shape import ShapeProblem, count, exactly, list_of, null_or, obj, one_of, problems_of, text

CONTEXT = "urn:touchstone:decision-receipt:v1"

_DECISIONS = ("allow", "warn", "escalate", "block")
_KNOWN_DECISION = one_of(_DECISIONS, "must be allow, warn, escalate or block")


def _decision(value: Any, path: str) -> list[ShapeProblem]:
    return _KNOWN_DECISION(value, path) if isinstance(value, str) else text(value, path)


_STATEMENT = obj(
    {
        "@context": exactly(CONTEXT),
        "decision_id": text,
        "decision": _decision,
        "agent_id": text,
        "tool": text,
        "arguments_hash": null_or(text),
        "policy_id": null_or(text),
        "policy_version": null_or(count),
        "transaction_id": null_or(text),
        "escalation_id": null_or(text),
        "decided_at": text,
    }
)
_BATCH = obj(
    {
        "at": text,
        "root": text,
        "size": count,
        "index": count,
        "path": list_of(obj({"hash": text, "position": text})),
    }
)
_SIGNATURE = obj({"algorithm": exactly(SIGNATURE_ALGORITHM), "key_id": text, "value": text})
_RECEIPT_1 = obj({"statement": _STATEMENT, "signature": _SIGNATURE})
_RECEIPT_2 = obj({"statement": _STATEMENT, "batch": _BATCH, "signature": _SIGNATURE})


@dataclass(frozen=True)
class ReceiptVerification:
    valid: bool
    #: What the service states, if the receipt is valid.
    statement: dict[str, Any] | None
    #: Why it is not valid.
    fault: str | None


def verify_receipt(receipt: Any, keys: Iterable[TrustedKey]) -> ReceiptVerification:
    """Takes a receipt as `parse_json` or `json.loads` returns it. Never raises for its content.

    Compare what a valid receipt is about: `statement["arguments_hash"]` with `hash_canonical` of
    the
    arguments, and the agent, the tool and the decision.
    """
    is_batched = isinstance(receipt, dict) and "batch" in receipt
    problems = problems_of(_RECEIPT_2 if is_batched else _RECEIPT_1, receipt)
    if problems:
        first = problems[0]
        return ReceiptVerification(False, None, f"not a receipt: {first.path} {first.message}")
    fault = _receipt_fault(receipt, list(keys))
    if fault is not None:
        return ReceiptVerification(False, None, fault)
    return ReceiptVerification(True, receipt["statement"], None)


def batch_payload(batch: dict[str, Any]) -> str:
    """The signed text of a batch."""
    head = {name: batch[name] for name in ("at", "root", "size")}
    return canonical_json({**head, "type": "touchstone.decisions", "v": 2})


def _receipt_fault(receipt: dict[str, Any], keys: list[TrustedKey]) -> str | None:
    payload = canonical_json(receipt["statement"])
    batch = receipt.get("batch")
    if batch is None:
        return _signature_fault(payload, receipt["signature"], keys)
    if not _is_in_batch(payload, batch):
        return "the path does not lead from the statement to the root"
    return _signature_fault(batch_payload(batch), receipt["signature"], keys)


def _is_in_batch(payload: str, batch: dict[str, Any]) -> bool:
    index, size = batch["index"], batch["size"]
    proof = proof_from_path(index, size, batch["path"])
    if proof is None or not is_hash_hex(batch["root"]):
        return False
    leaf = leaf_hash(payload.encode("utf-8"))
    return verify_inclusion(leaf, index, size, proof, hex_to_bytes(batch["root"]))


def _signature_fault(
    message: str, signature: dict[str, Any], keys: list[TrustedKey]
) -> str | None:
    public_key = find_key(signature["key_id"], keys)
    if public_key is None:
        return UNKNOWN_KEY
    value = base64_to_bytes(signature["value"])
    if value is None:
        return "the signature is not valid base64"
    if verify_ed25519(value, message, public_key):
        return None
    return f"not a valid {SIGNATURE_ALGORITHM} signature"
