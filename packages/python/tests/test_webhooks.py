"""Verification of webhook deliveries."""

from __future__ import annotations

import base64
import hashlib
import hmac
import unittest
from typing import Any

from support import Oracle

from touchstone import WebhookError, verify_webhook

SECRET_BYTES = bytes(range(32))
SECRET = "whsec_" + base64.b64encode(SECRET_BYTES).decode()
BODY = b'{"id":"evt-1","type":"agent.paused"}'
NOW = 1_800_000_000


def touchstone_headers(body: bytes = BODY, at: int = NOW, secret: str = SECRET) -> dict[str, str]:
    signed = f"{at}.".encode() + body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return {"X-Webhook-Timestamp": str(at), "X-Webhook-Signature": f"v1={digest}"}


def standard_headers(
    body: bytes = BODY, at: int = NOW, key: bytes = SECRET_BYTES
) -> dict[str, str]:
    signed = f"msg-1.{at}.".encode() + body
    digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {
        "webhook-id": "msg-1",
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1a,AAAA v1,{digest}",
    }


class Webhooks(unittest.TestCase):
    def verify(self, headers: dict[str, str], **options: Any) -> Any:
        given = {"body": BODY, "secret": SECRET, "now": NOW, **options}
        return verify_webhook(given.pop("body"), headers, **given)

    def refused(self, headers: dict[str, str], **options: Any) -> str:
        with self.assertRaises(WebhookError) as caught:
            self.verify(headers, **options)
        return caught.exception.code

    def test_both_schemes_verify(self) -> None:
        for scheme, headers in (
            ("touchstone", touchstone_headers()),
            ("standard", standard_headers()),
        ):
            verified = self.verify(headers)
            self.assertEqual((verified.scheme, verified.event["id"]), (scheme, "evt-1"))
            self.assertEqual(verified.signed_at, NOW)
            self.verify(headers, secret=["whsec_AAAA", SECRET], body=BODY.decode())

    def test_a_public_key_verifies_without_a_secret(self) -> None:
        seed = bytes([7] * 32)
        message = f"msg-1.{NOW}.".encode() + BODY
        question = {"message": message.hex(), "seed": seed.hex()}
        signature = bytes.fromhex(Oracle.shared().ask("sign", [question])[0]["value"])
        from test_agreement import Signatures

        key = "whpk_" + base64.b64encode(Signatures.public_key(seed)).decode()
        signed = f"v1a,{base64.b64encode(signature).decode()}"
        headers = {**standard_headers(), "webhook-signature": signed}
        self.assertEqual(self.verify(headers, secret=(), public_keys=[key]).event["id"], "evt-1")
        self.assertEqual(self.refused(headers), "forged")
        changed = {"body": BODY + b" ", "secret": (), "public_keys": [key]}
        self.assertEqual(self.refused(headers, **changed), "forged")

    def test_refusals_say_why(self) -> None:
        good = touchstone_headers()
        self.assertEqual(self.refused({}), "unsigned")
        self.assertEqual(self.refused({**good, "X-Webhook-Timestamp": f"0{NOW}"}), "unsigned")
        other_digits = {**good, "X-Webhook-Signature": "v1=" + "\u0661" * 64}
        self.assertEqual(self.refused(other_digits), "unsigned")
        self.assertEqual(self.refused(good, now=NOW + 301), "expired")
        self.assertEqual(self.refused(good, now=NOW - 301), "expired")
        self.assertEqual(self.refused(good, body=BODY + b" "), "forged")
        self.assertEqual(self.refused({**good, "X-Webhook-Timestamp": str(NOW + 1)}), "forged")
        for body in (b"[]", b"{}", b"\xff", b'{"id":1}', b'{"id":"x","n":NaN}', b"[" * 9000):
            self.assertEqual(self.refused(touchstone_headers(body), body=body), "unreadable")

    def test_a_wrong_key_is_the_receivers_mistake(self) -> None:
        for options in ({"secret": ()}, {"secret": "abc"}, {"public_keys": ["whpk_!"]}):
            with self.assertRaises(TypeError):
                self.verify(touchstone_headers(), **options)


if __name__ == "__main__":
    unittest.main()
