"""Verification of Ed25519 signatures (RFC 8032) in pure Python.

By the strict rules of the service, because a signature that one reader accepts and another rejects
would make a document valid for some only: canonical encodings, S < L, neither the public key nor R
of
small order, and the equation without cofactor. Only public values are handled, so nothing here has
to
take constant time.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

from .encoding import to_utf8

__all__ = ["verify_ed25519"]

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
D2 = 2 * D % P
SQRT_MINUS_1 = pow(2, (P - 1) // 4, P)

#: The y of the points whose order divides 8.
SMALL_ORDER_Y = frozenset(
    int.from_bytes(bytes.fromhex(text), "little")
    for text in (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    )
)

#: Extended coordinates: x = X/Z, y = Y/Z, x·y = T/Z.
Point = tuple[int, int, int, int]

#: A point prepared for additions: Y−X, Y+X, 2·d·T, 2·Z.
Addend = tuple[int, int, int, int]

_MASK = (1 << 255) - 1


def verify_ed25519(signature: bytes, message: str | bytes, public_key: bytes) -> bool:
    """Whether the signature verifies. A string is verified as UTF-8."""
    if len(signature) != 64 or len(public_key) != 32:
        return False
    encoded_r = bytes(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if s >= L or not _is_strict(encoded_r) or not _is_strict(public_key):
        return False
    table = _negated_key_table(bytes(public_key))
    if table is None:
        return False
    data = to_utf8(message) if isinstance(message, str) else bytes(message)
    digest = hashlib.sha512(encoded_r + public_key + data).digest()
    k = int.from_bytes(digest, "little") % L
    return _encode(_double_multiply(s, k, table)) == encoded_r


def _is_strict(encoded: bytes) -> bool:
    y = int.from_bytes(encoded, "little") & _MASK
    return y < P and y not in SMALL_ORDER_Y


@lru_cache(maxsize=64)
def _negated_key_table(public_key: bytes) -> list[Addend] | None:
    """The odd multiples of the negated key; None if it is not a point. Most readers know few keys.
    """
    value = int.from_bytes(public_key, "little")
    point = _decode(value & _MASK, value >> 255)
    if point is None:
        return None
    x, y, z, t = point
    return _odd_multiples((P - x, y, z, P - t), _KEY_WINDOW)


def _decode(y: int, sign: int) -> Point | None:
    """RFC 8032 §5.1.3; x = 0 is impossible here, because those points are of small order."""
    numerator = (y * y - 1) % P
    denominator = (D * y * y + 1) % P
    root = numerator * pow(denominator, 3, P) % P
    root = root * pow(root * pow(denominator, 4, P) % P, (P - 5) // 8, P) % P
    square = denominator * root * root % P
    if square != numerator:
        if square != P - numerator:
            return None
        root = root * SQRT_MINUS_1 % P
    if root & 1 != sign:
        root = P - root
    return root, y, 1, root * y % P


def _encode(point: Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, -1, P)
    return ((y * inverse % P) | ((x * inverse % P & 1) << 255)).to_bytes(32, "little")


def _to_addend(point: Point) -> Addend:
    x, y, z, t = point
    return (y - x) % P, (y + x) % P, t * D2 % P, 2 * z % P


def _negate(addend: Addend) -> Addend:
    minus, plus, t, z = addend
    return plus, minus, P - t, z


def _add(point: Point, addend: Addend) -> Point:
    x, y, z, t = point
    minus, plus, t2d, z2 = addend
    a = (y - x) * minus % P
    b = (y + x) * plus % P
    c = t * t2d % P
    d = z * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _double(point: Point) -> Point:
    x, y, z, _ = point
    a = x * x % P
    b = y * y % P
    c = 2 * z * z
    h = a + b
    e = h - (x + y) * (x + y) % P
    g = a - b
    f = c % P + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def _odd_multiples(point: Point, window: int) -> list[Addend]:
    """1, 3, 5, … times the point, up to 2^(window−1) − 1."""
    twice = _to_addend(_double(point))
    multiples = [_to_addend(point)]
    for _ in range(2 ** (window - 2) - 1):
        point = _add(point, twice)
        multiples.append(_to_addend(point))
    return multiples


def _windows(scalar: int, window: int) -> list[int]:
    """The non-adjacent form: odd digits, at most one that is not zero in `window` places."""
    digits: list[int] = []
    width, half = 1 << window, 1 << (window - 1)
    while scalar:
        digit = 0
        if scalar & 1:
            digit = scalar & (width - 1)
            if digit >= half:
                digit -= width
            scalar -= digit
        digits.append(digit)
        scalar >>= 1
    return digits


_KEY_WINDOW = 5
_BASE_WINDOW = 8
_BASE_Y = 4 * pow(5, -1, P) % P


@lru_cache(maxsize=1)
def _base_table() -> list[Addend]:
    base = _decode(_BASE_Y, 0)
    assert base is not None
    return _odd_multiples(base, _BASE_WINDOW)


def _double_multiply(s: int, k: int, key_table: list[Addend]) -> Point:
    """s times the base point plus k times the point of the table, in one pass over both."""
    base_table = _base_table()
    base_digits, key_digits = _windows(s, _BASE_WINDOW), _windows(k, _KEY_WINDOW)
    length = max(len(base_digits), len(key_digits))
    base_digits += [0] * (length - len(base_digits))
    key_digits += [0] * (length - len(key_digits))
    total: Point = (0, 1, 1, 0)
    for base_digit, key_digit in zip(reversed(base_digits), reversed(key_digits)):
        total = _double(total)
        for digit, table in ((base_digit, base_table), (key_digit, key_table)):
            if digit > 0:
                total = _add(total, table[digit >> 1])
            elif digit < 0:
                total = _add(total, _negate(table[-digit >> 1]))
    return total
