"""Shared by the tests: the other implementation, generated cases, and servers that misbehave."""

from __future__ import annotations

import json
import os
import random
import socket
import struct
import subprocess
import threading
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
NODE = os.environ.get("NODE", "node")

SEED = int(os.environ.get("TEST_SEED") or random.SystemRandom().randrange(2**31))
print(f"python: cases from seed {SEED}, again with TEST_SEED={SEED}", flush=True)

#: npm test has few cases and npm run test:full many.
RUNS = 10 if os.environ.get("FULL") == "1" else 1


def vectors(name: str) -> Any:
    return json.loads((ROOT / "vectors" / name).read_text("utf-8"))


def rng_for(test: unittest.TestCase) -> random.Random:
    return random.Random(f"{SEED} {test.id()}")


class Oracle:
    """The implementation in packages/protocol and packages/sdk, in one Node process for all tests.
    """

    _shared: Oracle | None = None

    @classmethod
    def shared(cls) -> Oracle:
        if cls._shared is None:
            cls._shared = cls()
            unittest.addModuleCleanup(cls._close)
        return cls._shared

    @classmethod
    def _close(cls) -> None:
        if cls._shared is not None:
            cls._shared._process.stdin.close()
            cls._shared._process.stdout.close()
            cls._shared._process.wait()
            cls._shared = None

    def __init__(self) -> None:
        script = Path(__file__).with_name("oracle.mjs")
        self._process: Any = subprocess.Popen(
            [NODE, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
        )

    def ask(self, op: str, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """For each question `value`, or `error` with the name of the exception."""
        line = json.dumps([{"op": op, **one} for one in questions]) + "\n"
        self._process.stdin.write(line.encode())
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the oracle ended")
        return list(json.loads(answer))


#: JSON texts that parsers and hashes treat differently.
HOSTILE = [
    "null",
    "true",
    "false",
    '""',
    '"x"',
    "0",
    "-0",
    "-0.0",
    "1",
    "1.0",
    "1e0",
    "1.5",
    "-1",
    "1e21",
    "1e-7",
    "123456789012345680000",
    "5e-324",
    "1.7976931348623157e308",
    "1e999",
    "-1e999",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "9" * 400,
    "0.1e1",
    "4.35",
    "0.000001",
    '"\\ud800"',
    '"\\ude00\\ud83d"',
    '"\\ud83d\\ude00"',
    '"\\u0000\\u001f\\u007f\\u2028\\u20ac"',
    '"\\/\\b\\f\\n\\r\\t\\"\\\\"',
    "[]",
    "{}",
    "[[]]",
    '{"a":1,"a":2}',
    '{"10":1,"9":2,"a":3,"01":4}',
    '{"__proto__":1}',
    '{"\ue000":1,"\U0001f600":2}',
    "[" * 900 + "]" * 900,
    "[" * 1000 + "]" * 1000,
    "[" * 1001 + "]" * 1001,
    '{"a":' * 1000 + "1" + "}" * 1000,
    '{"a":' * 1001 + "1" + "}" * 1001,
    "[" * 5000 + "]" * 5000,
    "NaN",
    "Infinity",
    "[1,]",
    "01",
    "1.",
    "+1",
    "'x'",
    '"\n"',
    "\ufeff1",
    " 1\t\r\n",
    "\u00a01",
    "",
]


def random_number_text(rng: random.Random) -> str:
    kind = rng.randrange(5)
    if kind == 0:
        return str(rng.randrange(-(10**6), 10**6))
    if kind == 1:
        return str(rng.randrange(-(2**70), 2**70))
    if kind == 2:
        return repr(rng.random() * 10.0 ** rng.randrange(-30, 30))
    if kind == 3:
        return f"{rng.randrange(-9, 10)}.{rng.randrange(10**6)}e{rng.randrange(-330, 330)}"
    # Any double, by its bits.
    bits = rng.getrandbits(64).to_bytes(8, "little")
    number = struct.unpack("<d", bits)[0]
    return repr(number) if number == number and abs(number) != float("inf") else "0"


PLAIN = ["a", "Z", "0", "/", "\x7f", "é", "€", "\u2028", "😀", "\ue000", "\uffff", "𐀀", "10", "9"]
ESCAPED = ['"', "\\", "\n", "\x00", "\x1f"]


def random_string(rng: random.Random, pool: list[str]) -> str:
    return "".join(rng.choice(pool) for _ in range(rng.randrange(6)))


def random_json_text(rng: random.Random, depth: int = 4) -> str:
    kind = rng.randrange(7 if depth > 0 else 4)
    if kind == 0:
        return rng.choice(HOSTILE[:39])
    if kind == 1:
        return random_number_text(rng)
    if kind in (2, 3):
        return json.dumps(random_string(rng, PLAIN + ESCAPED), ensure_ascii=rng.random() < 0.5)
    items = [random_json_text(rng, depth - 1) for _ in range(rng.randrange(5))]
    if kind == 4:
        return f"[{','.join(items)}]"
    # Keys without escapes: JSON.parse of Node 24 confuses those that have some (see
    # parseStrictText).
    keys = [json.dumps(random_string(rng, PLAIN), ensure_ascii=False) for _ in items]
    return "{%s}" % ",".join(f"{key}: {item}" for key, item in zip(keys, items))


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(value, (dict, list)):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            found += paths_of(child, (*path, key))
    return found


def changed_text(rng: random.Random, document: Any) -> str:
    """The JSON text of a document with one to three changes, most of them small."""
    copy: Any = {"root": json.loads(json.dumps(document))}
    raw: list[str] = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        path = ("root", *rng.choice(paths_of(copy["root"])))
        parent = copy
        for key in path[:-1]:
            parent = parent[key]
        _change(rng, parent, path[-1], raw)
        if not isinstance(copy["root"], (dict, list)):
            break
    text = json.dumps(copy["root"])
    for index, replacement in enumerate(raw):
        text = text.replace(f'"@raw {index}@"', replacement)
    return text


def _change(rng: random.Random, parent: Any, key: Any, raw: list[str]) -> None:
    value, kind = parent[key], rng.randrange(6)
    if kind == 0 and isinstance(parent, (dict, list)) and key != "root":
        del parent[key]
    elif kind == 1 and isinstance(value, dict):
        value[rng.choice(["extra", "10", "9", "__proto__", "a/b~c"])] = 1
    elif kind == 2 and isinstance(value, str) and value:
        at = rng.randrange(len(value))
        parent[key] = value[:at] + rng.choice("0aA=+/Z ") + value[at + 1 :]
    elif kind == 3 and isinstance(value, list) and value:
        value.append(value[0])
    elif kind == 4 and isinstance(value, (int, float)) and not isinstance(value, bool):
        parent[key] = value + rng.choice([1, -1, 0.5])
    else:
        # A number or text that json.dumps would not write, put in afterwards.
        parent[key] = f"@raw {len(raw)}@"
        raw.append(rng.choice(HOSTILE[:45]))


class RawServer:
    """Plays back one step for each request: bytes to answer with, or a function of the connection.
    """

    def __init__(self, test: unittest.TestCase, *steps: Any) -> None:
        self.requests: list[dict[str, Any]] = []
        self._steps = list(steps)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.connections = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        test.addCleanup(self._close)

    def _close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._play, args=(connection,), daemon=True).start()

    def _play(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as reader:
            while (request := _read_request(reader)) is not None:
                self.requests.append(request)
                step = self._steps[min(len(self.requests), len(self._steps)) - 1]
                if callable(step):
                    step(connection)
                    return
                connection.sendall(step)


def _read_request(reader: Any) -> dict[str, Any] | None:
    first = reader.readline().decode().split(" ")
    if len(first) != 3:
        return None
    headers: dict[str, str] = {}
    while (line := reader.readline().decode().strip()) != "":
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = reader.read(int(headers.get("content-length", "0")))
    return {"method": first[0], "target": first[1], "headers": headers, "body": body}


def answer(status: int, body: Any = None, **headers: str) -> bytes:
    text = b"" if body is None else json.dumps(body).encode()
    head = {"content-type": "application/json", "content-length": str(len(text)), **headers}
    lines = [f"HTTP/1.1 {status} X"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in head.items()]
    return "\r\n".join([*lines, "", ""]).encode() + text


def drop(connection: socket.socket) -> None:
    connection.close()
