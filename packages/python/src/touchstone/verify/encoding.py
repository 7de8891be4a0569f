"""Hashes, strict text encodings of bytes, and instants.

Of all texts that could encode the same bytes only one is accepted, so that no signed or hashed
value
has a second spelling.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
import re
from typing import Any

from .json_value import SURROGATE, canonical_json, merge_surrogates

_HASH = re.compile(r"[0-9a-f]{64}")
_HEX = re.compile(r"(?:[0-9a-f]{2})*")
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")


def to_utf8(text: str) -> bytes:
    """As ECMAScript encodes it: with lone surrogates as U+FFFD."""
    if text.isascii():
        return text.encode("ascii")
    return SURROGATE.sub("\ufffd", merge_surrogates(text)).encode("utf-8")


def sha256_hex(data: str | bytes) -> str:
    return hashlib.sha256(to_utf8(data) if isinstance(data, str) else data).hexdigest()


def hash_canonical(value: Any) -> str:
    """SHA-256 of the canonical JSON, in hex; such as `arguments_hash` of the arguments of a call.
    """
    return sha256_hex(canonical_json(value))


def is_hash_hex(text: object) -> bool:
    return isinstance(text, str) and _HASH.fullmatch(text) is not None


def hex_to_bytes(text: str) -> bytes:
    if _HEX.fullmatch(text) is None:
        raise TypeError("not lower-case hex")
    return bytes.fromhex(text)


def base64_to_bytes(text: str) -> bytes | None:
    """None unless the text is exactly the standard base64 of some bytes."""
    if len(text) % 4 != 0 or _BASE64.fullmatch(text) is None:
        return None
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error:
        return None
    return data if base64.b64encode(data).decode("ascii") == text else None


def round_half_up(x: float) -> int:
    return math.floor(x + 0.5)


def round_to(x: float, decimals: int) -> float:
    unit = 10.0**decimals
    return math.floor(x * unit + 0.5) / unit


#: ISO 8601 with an offset; the separators are either all present or all absent.
_INSTANT = re.compile(
    r"([0-9]{4})(-?)([0-9]{2})\2([0-9]{2})[Tt]([0-9]{2})(:?)([0-9]{2})"
    r"(?:\6([0-9]{2})(?:[.,]([0-9]{1,9}))?)?(?:[Zz]|([+-])([0-9]{2})(?::?([0-9]{2}))?)"
)

_DAYS_OF_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAY_MS = 86_400_000


def parse_instant(text: str) -> int | None:
    """Milliseconds since 1970; None if the text does not name an instant, such as 30 February."""
    found = _INSTANT.fullmatch(text)
    if found is None or (found[2] == "") != (found[6] == ""):
        return None
    year, month, day = int(found[1]), int(found[3]), int(found[4])
    hour, minute, second = int(found[5]), int(found[7]), int(found[8] or "0")
    milli = int((found[9] or "")[:3].ljust(3, "0"))
    zone_hour, zone_minute = int(found[11] or "0"), int(found[12] or "0")
    if not 1 <= month <= 12 or not 1 <= day <= _days_in(year, month):
        return None
    # Midnight at the end of a day has a second name.
    is_end_of_day = (hour, minute, second, milli) == (24, 0, 0, 0)
    if (hour > 23 and not is_end_of_day) or minute > 59 or second > 59:
        return None
    if zone_hour > 23 or zone_minute > 59:
        return None
    offset = (zone_hour * 60 + zone_minute) * (-1 if found[10] == "-" else 1)
    clock = ((hour * 60 + minute - offset) * 60 + second) * 1000 + milli
    instant = _days_since_1970(year, month, day) * _DAY_MS + clock
    # The offset can move the instant to a year that does not have four digits.
    earliest, end = _days_since_1970(0, 1, 1) * _DAY_MS, _days_since_1970(10_000, 1, 1) * _DAY_MS
    return instant if earliest <= instant < end else None


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _days_in(year: int, month: int) -> int:
    return 29 if month == 2 and _is_leap(year) else _DAYS_OF_MONTH[month - 1]


def _days_since_1970(year: int, month: int, day: int) -> int:
    """In the Gregorian calendar; also for the year 0, which Python's dates do not have."""
    before = year - 1
    days = 365 * year + before // 4 - before // 100 + before // 400 + 1
    days += sum(_days_in(year, earlier) for earlier in range(1, month)) + day - 1
    return days - 719_528
