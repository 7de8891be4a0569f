"""Verification of webhook deliveries."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import WebhookError
from .verify.ed25519 import verify_ed25519
from .verify.json_value import parse_json

__all__ = ["VerifiedWebhook", "verify_webhook"]

#: spec: interface, Delivery and signing. Older or newer timestamps are refused.
_TOLERANCE_SECONDS = 300
_SECRET_PREFIX = "whsec_"
_PUBLIC_KEY_PREFIX = "whpk_"
#: A rotation has at most two secrets and two keys. The limit bounds the work for hostile headers.
_SIGNATURES_MAX = 10

_TIMESTAMP = re.compile(r"[1-9][0-9]{0,11}")
_HEX_SIGNATURE = re.compile(r"v1=([0-9a-f]{64})")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


@dataclass(frozen=True)
class VerifiedWebhook:
    #: `event["id"]` is the same for every delivery of one event: store it to process each once.
    event: dict[str, Any]
    #: touchstone or standard.
    scheme: str
    #: Unix seconds.
    signed_at: int


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    *,
    secret: str | Iterable[str] = (),
    public_keys: Iterable[str] = (),
    now: float | None = None,
    tolerance_seconds: float = _TOLERANCE_SECONDS,
) -> VerifiedWebhook:
    """Returns the event of a genuine delivery and raises a WebhookError for any other.

    `body` is the raw request body, before any parsing. `secret` is the endpoint's `whsec_…`; a list
    during a rotation. `public_keys`, the `whpk` values of `GET /v1/keys`, verify without a secret;
    they
    sign the deliveries to all customers, so check that the event's `account_id` is yours.
    """
    secrets = [secret] if isinstance(secret, str) else list(secret)
    keys = _Keys(
        touchstone=[text.encode("utf-8") for text in secrets],
        standard=[_key_bytes(text, _SECRET_PREFIX) for text in secrets],
        ed25519=[_key_bytes(text, _PUBLIC_KEY_PREFIX) for text in public_keys],
    )
    if not secrets and not keys.ed25519:
        raise TypeError("verify_webhook: a secret or a public key is required")
    claims = _claims_of(headers)
    if not claims:
        raise WebhookError("unsigned", "The signature headers are missing.")
    at = time.time() if now is None else now
    fresh = [claim for claim in claims if abs(at - claim.timestamp) <= tolerance_seconds]
    if not fresh:
        message = f"The timestamp is more than {tolerance_seconds} seconds off."
        raise WebhookError("expired", message)
    data = body.encode("utf-8") if isinstance(body, str) else bytes(body)
    for claim in fresh:
        if _is_genuine(claim, data, keys):
            return VerifiedWebhook(_read_event(data), claim.scheme, claim.timestamp)
    message = "No signature matches. Check the secret and use the raw body."
    raise WebhookError("forged", message)


@dataclass(frozen=True)
class _Keys:
    touchstone: list[bytes]
    standard: list[bytes]
    ed25519: list[bytes]


@dataclass(frozen=True)
class _Claim:
    """The signatures of one scheme. A delivery is genuine if any one of them is valid."""

    scheme: str
    timestamp: int
    #: The part of the signed content that precedes the body.
    prefix: str
    #: The algorithm, hmac or ed25519, and the bytes.
    signatures: list[tuple[str, bytes]]


def _claims_of(headers: Mapping[str, str]) -> list[_Claim]:
    """Omits malformed ones. Names are compared without regard to case."""
    lower = {name.lower(): value for name, value in headers.items() if isinstance(value, str)}
    return [claim for claim in (_touchstone(lower), _standard(lower)) if claim is not None]


def _touchstone(headers: Mapping[str, str]) -> _Claim | None:
    timestamp = _timestamp(headers.get("x-webhook-timestamp"))
    found = _HEX_SIGNATURE.fullmatch(headers.get("x-webhook-signature", ""))
    if timestamp is None or found is None:
        return None
    return _Claim("touchstone", timestamp, f"{timestamp}.", [("hmac", bytes.fromhex(found[1]))])


def _standard(headers: Mapping[str, str]) -> _Claim | None:
    timestamp = _timestamp(headers.get("webhook-timestamp"))
    identity, listed = headers.get("webhook-id"), headers.get("webhook-signature")
    if timestamp is None or identity is None or listed is None:
        return None
    signatures: list[tuple[str, bytes]] = []
    for text in listed.split(" ")[:_SIGNATURES_MAX]:
        version, _, encoded = text.partition(",")
        decoded = _decode_base64(encoded)
        algorithm = {"v1": "hmac", "v1a": "ed25519"}.get(version)
        if decoded is not None and algorithm is not None:
            signatures.append((algorithm, decoded))
    return _Claim("standard", timestamp, f"{identity}.{timestamp}.", signatures)


def _timestamp(text: str | None) -> int | None:
    """Accepts canonical digits only, so that the signed text and the checked number cannot differ.
    """
    return int(text) if text is not None and _TIMESTAMP.fullmatch(text) else None


def _decode_base64(text: str) -> bytes | None:
    if len(text) % 4 != 0 or _BASE64.fullmatch(text) is None:
        return None
    try:
        return base64.b64decode(text)
    except ValueError:
        return None


def _key_bytes(text: str, prefix: str) -> bytes:
    """A malformed key is the receiver's mistake, so it is a TypeError and not a WebhookError."""
    decoded = _decode_base64(text[len(prefix) :]) if text.startswith(prefix) else None
    if decoded is None:
        raise TypeError(f"verify_webhook: a key must be {prefix} followed by base64")
    return decoded


def _is_genuine(claim: _Claim, body: bytes, keys: _Keys) -> bool:
    signed = claim.prefix.encode("utf-8", "surrogatepass") + body
    for algorithm, signature in claim.signatures:
        if algorithm == "ed25519":
            if any(verify_ed25519(signature, signed, key) for key in keys.ed25519):
                return True
            continue
        secrets = keys.touchstone if claim.scheme == "touchstone" else keys.standard
        for secret in secrets:
            expected = hmac.new(secret, signed, hashlib.sha256).digest()
            if hmac.compare_digest(expected, signature):
                return True
    return False


def _read_event(body: bytes) -> dict[str, Any]:
    try:
        event = parse_json(body)
    except ValueError:
        event = None
    if isinstance(event, dict) and isinstance(event.get("id"), str):
        return event
    raise WebhookError("unreadable", "The body is signed but is not a JSON object with an id.")
