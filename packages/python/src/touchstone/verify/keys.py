"""The published keys of the service, and signatures by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .ed25519 import verify_ed25519
from .encoding import base64_to_bytes, hex_to_bytes, is_hash_hex, sha256_hex

#: A key as `GET /v1/keys` lists it; `key_id` and `public_key` are used.
TrustedKey = Mapping[str, Any]

SIGNATURE_ALGORITHM = "Ed25519"

UNKNOWN_KEY = "the key is not among the published keys"


def key_id(public_key: bytes) -> str:
    """Derived from the key itself, so that nobody can publish a different key under the same id."""
    return f"key-{sha256_hex(public_key)[:16]}"


def find_key(wanted: str, keys: Iterable[TrustedKey]) -> bytes | None:
    """Ignores keys whose id does not match their bytes, and the key of the log."""
    for key in keys:
        if key.get("key_id") != wanted or key.get("use") == "log":
            continue
        if not is_hash_hex(key.get("public_key")):
            continue
        public_key = hex_to_bytes(key["public_key"])
        if key_id(public_key) == wanted:
            return public_key
    return None


def is_signed(message: str, signature: str, public_key: bytes) -> bool:
    """The signature is in base64."""
    decoded = base64_to_bytes(signature)
    return decoded is not None and verify_ed25519(decoded, message, public_key)
