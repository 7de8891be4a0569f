"""Offline verification: certificates, decision receipts, bundles and proofs, with no request.

Everything is checked against the published keys (`GET /v1/keys`), which the reader provides: best a
copy
that was saved earlier.
"""

from .bundle import BundleFault, BundleVerification, verify_bundle, verify_tree_head
from .bundle_score import BundleScore
from .certificate import CertificateVerification, chain_hash, verify_certificate
from .ed25519 import verify_ed25519
from .encoding import hash_canonical
from .json_value import canonical_json, parse_json
from .keys import TrustedKey, find_key
from .merkle import leaf_hash, verify_consistency, verify_inclusion
from .receipt import ReceiptVerification, verify_receipt
from .shape import ShapeProblem

__all__ = [
    "BundleFault",
    "BundleScore",
    "BundleVerification",
    "CertificateVerification",
    "ReceiptVerification",
    "ShapeProblem",
    "TrustedKey",
    "canonical_json",
    "chain_hash",
    "find_key",
    "hash_canonical",
    "leaf_hash",
    "parse_json",
    "verify_bundle",
    "verify_certificate",
    "verify_consistency",
    "verify_ed25519",
    "verify_inclusion",
    "verify_receipt",
    "verify_tree_head",
]
