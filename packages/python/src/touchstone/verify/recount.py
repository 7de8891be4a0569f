"""Recounts the checkpoints of an agent from the start, as the score at that time counted them.

This verifies figures that the service maintains incrementally.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from .score import Violation, is_in_window

#: The least checkpoints for a session to count, or in a row to be unstable.
STREAK_MIN = 3

#: How many gaps between checkpoints are examined for uniform timing.
_GAPS = 10
_GAP_SPREAD_MS_MAX = 5
_TWINS_MIN = 3
_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS

#: Analysed checkpoints of one agent within one clock hour, before further ones are a burst.
_HOUR_CHECKPOINTS_MAX = 120


@dataclass(frozen=True)
class CountedCheckpoint:
    session_id: str
    timestamp_ms: int
    verdict: str
    synthetic: bool
    excluded: bool
    #: Reclassified: the card was wrong, not the agent.
    card_gap: bool
    #: See content_key.
    content: bytes


@dataclass
class _Session:
    scored: int = 0
    streak: int = 0
    unstable: bool = False


class Recount:
    def __init__(self, at_ms: int) -> None:
        self._at_ms = at_ms
        self._sessions: dict[str, _Session] = {}
        self._recent: list[int] = []
        #: Indexed by content and day, so that an agent that repeats itself for years is not
        #: searched
        #: in full for each checkpoint.
        self._twins: dict[tuple[bytes, int], list[int]] = {}
        self.scored = 0
        self.clear = 0
        self.excluded = 0
        self.violations: list[Violation] = []

    def add(self, one: CountedCheckpoint) -> list[str]:
        """Adds a checkpoint and returns the gaming flags it must have, given those before it."""
        if one.synthetic:
            return []
        flags = self._flags(one)
        self._recent = [*self._recent, one.timestamp_ms][-_GAPS:]
        self._twins.setdefault((one.content, one.timestamp_ms // _DAY_MS), []).append(
            one.timestamp_ms
        )
        if one.excluded:
            self.excluded += 1
        else:
            self._score(one)
        return flags

    def sessions(self, drifted: Collection[str]) -> tuple[int, int]:
        """How many sessions count, and how many of them are unstable."""
        long = {name: one for name, one in self._sessions.items() if one.scored >= STREAK_MIN}
        unstable = [name for name, one in long.items() if one.unstable or name in drifted]
        return len(long), len(unstable)

    def _score(self, one: CountedCheckpoint) -> None:
        self.scored += 1
        self.clear += one.verdict == "clear"
        if one.verdict == "boundary_violation" and is_in_window(one.timestamp_ms, self._at_ms):
            self.violations.append(Violation(one.session_id, one.timestamp_ms, one.card_gap))
        session = self._sessions.setdefault(one.session_id, _Session())
        session.scored += 1
        # A card gap is in the scoring set, but neither starts nor breaks a streak.
        if not one.card_gap:
            session.streak = 0 if one.verdict == "clear" else session.streak + 1
            session.unstable = session.unstable or session.streak >= STREAK_MIN

    def _flags(self, one: CountedCheckpoint) -> list[str]:
        flags: list[str] = []
        if _is_uniform([*self._recent, one.timestamp_ms]):
            flags.append("uniform_timing")
        if self._near_twins(one) >= _TWINS_MIN:
            flags.append("identical_content")
        return flags

    def _near_twins(self, one: CountedCheckpoint) -> int:
        day = one.timestamp_ms // _DAY_MS
        # All those of the same day are near.
        same = len(self._twins.get((one.content, day), ()))
        if same >= _TWINS_MIN:
            return same
        beside = (self._twins.get((one.content, other), ()) for other in (day - 1, day + 1))
        near = (ms for times in beside for ms in times if abs(one.timestamp_ms - ms) <= _DAY_MS)
        return same + sum(1 for _ in near)


class AnalysedHour:
    """Counts analysed checkpoints in a row that were received in the same clock hour (UTC)."""

    def __init__(self) -> None:
        self._hour: int | None = None
        self._analysed = 0

    def add(self, received_at_ms: int) -> bool:
        """Whether this one is beyond the most of its hour."""
        hour = received_at_ms // _HOUR_MS
        if hour != self._hour:
            self._hour, self._analysed = hour, 0
        self._analysed += 1
        return self._analysed > _HOUR_CHECKPOINTS_MAX


def _is_uniform(times: list[int]) -> bool:
    """Too regular for real work: ten forward gaps that differ by a few milliseconds at most."""
    if len(times) <= _GAPS:
        return False
    gaps = [later - earlier for earlier, later in zip(times, times[1:])]
    return min(gaps) > 0 and max(gaps) - min(gaps) <= _GAP_SPREAD_MS_MAX


def content_key(thinking_hash: str, output_hash: str | None) -> bytes:
    """The first 16 UTF-16 units of both hashes, which may be any text in a hostile document."""
    absent = "0" * 16
    return _prefix(thinking_hash) + _prefix(absent if output_hash is None else output_hash)


def _prefix(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")[:32]
