"""Verification of integrity certificates, versions 1.0.0 and 1.1.0, without the service.

Each check recomputes one value from what the certificate states, so that a failure shows where the
fault is. Together they cover every field except, in version 1.0.0, the informational URLs.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .encoding import base64_to_bytes, hash_canonical, hex_to_bytes, is_hash_hex, sha256_hex
from .ed25519 import verify_ed25519
from .json_value import canonical_json, is_safe_integer
from .keys import SIGNATURE_ALGORITHM, UNKNOWN_KEY, TrustedKey, find_key
from .log import LOG_PROOF, log_fault
from .merkle import leaf_hash, proof_from_path, root_from_inclusion
from .shape import (
    Shape,
    ShapeProblem,
    count,
    exactly,
    flag,
    list_of,
    null_or,
    number,
    obj,
    one_of,
    problems_of,
    text,
)

CONTEXT = "urn:touchstone:integrity-certificate:v1"
TYPE = "IntegrityCertificate"
VERSIONS = ("1.0.0", "1.1.0")


@dataclass(frozen=True)
class CertificateVerification:
    #: False also if the document is not a certificate.
    valid: bool
    #: The faults by check: signature, record, chain, merkle, input_commitment, log. None: passed.
    #: There is no `merkle` for a synthetic checkpoint, and no `log` without a proof of the log, of
    #: which the signatures are not verified. Empty if the document is not a certificate.
    checks: dict[str, str | None] = field(default_factory=dict)
    #: Why the document is not a certificate; empty if it is one.
    problems: list[ShapeProblem] = field(default_factory=list)

    @property
    def details(self) -> str:
        if self.problems:
            return "; ".join(f"{one.path} {one.message}" for one in self.problems)
        return "; ".join(f"{check}: {fault or 'ok'}" for check, fault in self.checks.items())


def verify_certificate(certificate: Any, keys: Iterable[TrustedKey]) -> CertificateVerification:
    """Takes a certificate as `parse_json` or `json.loads` returns it. Never raises for its content.

    A valid certificate says what was attested, not that it is good: read its verdict.
    """
    problems = certificate_problems(certificate)
    if problems:
        return CertificateVerification(False, problems=problems)
    checks = certificate_faults(certificate, list(keys))
    return CertificateVerification(not any(checks.values()), checks=checks)


def certificate_problems(value: Any) -> list[ShapeProblem]:
    return problems_of(_CERTIFICATES[_version_of(value)], value)


def certificate_faults(
    certificate: dict[str, Any], keys: list[TrustedKey]
) -> dict[str, str | None]:
    """Each check with its fault, of a certificate whose shape is already checked."""
    proofs = certificate["proofs"]
    merkle, chain_hash_text = proofs["merkle"], proofs["chain"]["chain_hash"]
    faults = {
        "signature": _signature_fault(certificate, keys),
        "record": _record_fault(certificate),
        "chain": _chain_fault(proofs["chain"]),
    }
    if merkle is not None:
        faults["merkle"] = _merkle_fault(merkle, chain_hash_text)
    faults["input_commitment"] = _commitment_fault(certificate["input_commitments"])
    if "log" in certificate:
        faults["log"] = _log_fault(certificate)
    return faults


def _version_of(value: Any) -> str:
    """If no known version is stated, the one that the rest of the document looks like."""
    stated = value.get("version") if isinstance(value, dict) else None
    if isinstance(stated, str) and stated in VERSIONS:
        return stated
    return likely_version(value)


def likely_version(value: Any) -> str:
    subject = value.get("subject") if isinstance(value, dict) else None
    return "1.1.0" if isinstance(subject, dict) and "provenance" in subject else "1.0.0"


_IDENTITY = {"checkpoint_id": text, "agent_id": text, "session_id": text, "card_id": text}
_SUBJECTS = {
    "1.0.0": obj(_IDENTITY),
    "1.1.0": obj(
        {**_IDENTITY, "provenance": text, "received_at": text, "decision_ids": list_of(text)}
    ),
}

_RECORD_FIELDS: dict[str, Shape] = {
    "timestamp": text,
    "claims": obj(
        {
            "verdict": text,
            "concerns": list_of(obj({"category": text, "severity": text, "description": text})),
            "confidence": number,
            "reasoning_summary": text,
            "analyzer": text,
            "analysis_model": text,
            "analysis_duration_ms": number,
            "synthetic": flag,
        }
    ),
    "input_commitments": obj(
        {
            "thinking_block_hash": text,
            "output_block_hash": null_or(text),
            "card_hash": text,
            "values_hash": text,
            "context_hash": text,
            "model_version": text,
            "template_version": text,
            "combined_commitment": text,
        }
    ),
}

CHAIN_PROOF = obj(
    {
        "record_hash": text,
        "chain_hash": text,
        "prev_chain_hash": null_or(text),
        "position": count,
    }
)

_RECORDS = {
    version: obj({**_RECORD_FIELDS, "subject": subject}) for version, subject in _SUBJECTS.items()
}


def record_shape(value: Any, path: str) -> list[ShapeProblem]:
    """The attested record of either version; it does not state which."""
    return _RECORDS[likely_version(value)](value, path)


_CERTIFICATE_FIELDS: dict[str, Shape] = {
    "@context": exactly(CONTEXT),
    "type": exactly(TYPE),
    "version": one_of(VERSIONS),
    "certificate_id": text,
    "issued_at": text,
    **_RECORD_FIELDS,
    "proofs": obj(
        {
            "signature": obj(
                {
                    "algorithm": exactly(SIGNATURE_ALGORITHM),
                    "key_id": text,
                    "value": text,
                    "signed_payload": text,
                }
            ),
            "chain": CHAIN_PROOF,
            "merkle": null_or(
                obj(
                    {
                        "leaf_hash": text,
                        "leaf_index": count,
                        "root": text,
                        "tree_size": count,
                        "inclusion_proof": list_of(obj({"hash": text, "position": text})),
                    }
                )
            ),
            "verdict_derivation": exactly(None),
        }
    ),
    "verification": obj({"keys_url": text, "certificate_url": text, "verify_url": text}),
}

_CERTIFICATES = {
    version: obj({**_CERTIFICATE_FIELDS, "subject": subject}, {"log": LOG_PROOF})
    for version, subject in _SUBJECTS.items()
}


def signed_payload(certificate: dict[str, Any]) -> str:
    """The signed text.

    It contains the results of the other checks, so together they cover every field.
    """
    proofs, inputs = certificate["proofs"], certificate["input_commitments"]
    chain, merkle, subject = proofs["chain"], proofs["merkle"] or {}, certificate["subject"]
    payload = {
        "agent_id": subject["agent_id"],
        "certificate_id": certificate["certificate_id"],
        "chain_hash": chain["chain_hash"],
        "chain_position": chain["position"],
        "checkpoint_id": subject["checkpoint_id"],
        "input_commitment": inputs["combined_commitment"],
        "issued_at": certificate["issued_at"],
        "leaf_index": merkle.get("leaf_index"),
        "merkle_root": merkle.get("root"),
        "record_hash": chain["record_hash"],
        "thinking_block_hash": inputs["thinking_block_hash"],
        "timestamp": certificate["timestamp"],
        "tree_size": merkle.get("tree_size"),
        "verdict": certificate["claims"]["verdict"],
    }
    if "provenance" in subject:
        payload["verification"] = certificate["verification"]
    return canonical_json(payload)


def record_hash(record: dict[str, Any]) -> str:
    names = ("claims", "input_commitments", "subject", "timestamp")
    return hash_canonical({name: record[name] for name in names})


def combined_commitment(inputs: dict[str, Any]) -> str:
    """One hash for all inputs of an analysis."""
    output = inputs["output_block_hash"]
    parts = [
        inputs["thinking_block_hash"],
        "-" if output is None else output,
        inputs["card_hash"],
        inputs["values_hash"],
        inputs["context_hash"],
        inputs["model_version"],
        inputs["template_version"],
    ]
    return sha256_hex("|".join(parts))


def chain_hash(previous: str | None, position: int, record: str) -> str | None:
    """The hash of a link; None for parts that cannot form one."""
    # Zeros encode "no previous" in the bytes, so None is required at position 0 and only there.
    if not is_safe_integer(position) or position < 0 or (previous is None) != (position == 0):
        return None
    if not is_hash_hex(record) or (previous is not None and not is_hash_hex(previous)):
        return None
    before = bytes(32) if previous is None else hex_to_bytes(previous)
    link = b"TSC1" + before + struct.pack(">Q", int(position)) + hex_to_bytes(record)
    return hashlib.sha256(link).hexdigest()


def _signature_fault(certificate: dict[str, Any], keys: list[TrustedKey]) -> str | None:
    signature = certificate["proofs"]["signature"]
    public_key = find_key(signature["key_id"], keys)
    if public_key is None:
        return UNKNOWN_KEY
    payload = signature["signed_payload"]
    if payload != signed_payload(certificate):
        return "signed_payload does not match this certificate"
    value = base64_to_bytes(signature["value"])
    if value is None:
        return "the value is not valid base64"
    if verify_ed25519(value, payload, public_key):
        return None
    return f"not a valid {SIGNATURE_ALGORITHM} signature of the payload"


def _log_fault(certificate: dict[str, Any]) -> str | None:
    log, subject = certificate["log"], certificate["subject"]
    fault = log_fault(log)
    if fault is not None:
        return fault
    chain = certificate["proofs"]["chain"]
    logged = {
        "agent_id": subject["agent_id"],
        "chain_hash": chain["chain_hash"],
        "checkpoint_id": subject["checkpoint_id"],
        "position": chain["position"],
        "record_hash": chain["record_hash"],
    }
    if log["entry"]["type"] == "checkpoint" and log["record"] == logged:
        return None
    return "the record is not that of this checkpoint"


def _record_fault(certificate: dict[str, Any]) -> str | None:
    proofs = certificate["proofs"]
    computed = record_hash(certificate)
    if computed != proofs["chain"]["record_hash"]:
        return f"the record hashes to {computed}"
    if certificate["certificate_id"] != f"cert-{computed[:16]}":
        return "certificate_id does not match the record"
    if certificate["claims"]["synthetic"] != (proofs["merkle"] is None):
        return "every checkpoint must have a Merkle proof unless it is synthetic"
    return None


def _chain_fault(chain: dict[str, Any]) -> str | None:
    computed = chain_hash(chain["prev_chain_hash"], chain["position"], chain["record_hash"])
    if computed is None:
        return "record_hash, prev_chain_hash and position do not form a valid link"
    return None if computed == chain["chain_hash"] else f"the link hashes to {computed}"


def _merkle_fault(merkle: dict[str, Any], of_chain_hash: str) -> str | None:
    if not is_hash_hex(of_chain_hash):
        return "chain_hash is not a valid hash"
    leaf = leaf_hash(hex_to_bytes(of_chain_hash))
    if leaf.hex() != merkle["leaf_hash"]:
        return "leaf_hash does not match chain_hash"
    index, size = merkle["leaf_index"], merkle["tree_size"]
    proof = proof_from_path(index, size, merkle["inclusion_proof"])
    root = None if proof is None else root_from_inclusion(leaf, index, size, proof)
    if root is None:
        return "the proof does not have the shape implied by leaf_index and tree_size"
    return None if root.hex() == merkle["root"] else f"the path leads to {root.hex()}"


def _commitment_fault(inputs: dict[str, Any]) -> str | None:
    computed = combined_commitment(inputs)
    return None if computed == inputs["combined_commitment"] else f"the inputs hash to {computed}"
