"""How far a score may be relied on (spec: provenance §3), as the service computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .encoding import round_to
from .score import require_count

_DAY_MS = 86_400_000
WINDOW_DAYS = 90

#: The names of the levels and the highest assured score at each, lowest first.
LEVELS = (
    ("unverified", 599),
    ("recorded", 749),
    ("relayed", 849),
    ("observed", 949),
    ("witnessed", 1000),
)

NOVELTY_FLAGS = ("low_novelty", "word_salad")
BURST_FLAGS = ("burst",)
_THIN_FLAGS = NOVELTY_FLAGS + BURST_FLAGS


@dataclass
class AssuranceDay:
    """The checkpoints of the scoring set that were received on one UTC day."""

    clear: int = 0
    by_burst: int = 0
    by_novelty: int = 0
    effective: int = 0
    observed: int = 0
    relayed: int = 0


@dataclass
class AssuranceInput(AssuranceDay):
    """The sums of the days in the window, and what the service asserts."""

    #: Days with at least one effective checkpoint, and from the first of them to the last.
    days: int = 0
    span_days: int = 0
    claimed: bool = False
    decisions_allowed: int = 0
    outcomes_known: int = 0
    witnessed: bool = False


class AssuranceDays:
    """Sums checkpoints by the UTC day on which they were received."""

    def __init__(self) -> None:
        self._days: dict[int, AssuranceDay] = {}

    def add(self, received_at_ms: int, verdict: str, provenance: str, flags: list[str]) -> None:
        day = self._days.setdefault(received_at_ms // _DAY_MS, AssuranceDay())
        if verdict == "clear":
            day.clear += 1
            day.by_burst += any(flag in flags for flag in BURST_FLAGS)
            day.by_novelty += any(flag in flags for flag in NOVELTY_FLAGS)
            # Only clear ones are set aside, so that a flag cannot hide a violation.
            if any(flag in flags for flag in _THIN_FLAGS):
                return
        day.effective += 1
        day.observed += provenance == "observed"
        day.relayed += provenance == "relayed"

    def sums(self, now_ms: int) -> AssuranceInput:
        first = now_ms // _DAY_MS - WINDOW_DAYS + 1
        sums = AssuranceInput()
        effective_days: list[int] = []
        for number, day in self._days.items():
            if number < first:
                continue
            sums.clear += day.clear
            sums.by_burst += day.by_burst
            sums.by_novelty += day.by_novelty
            sums.effective += day.effective
            sums.observed += day.observed
            sums.relayed += day.relayed
            if day.effective > 0:
                effective_days.append(number)
        sums.days = len(effective_days)
        sums.span_days = max(effective_days) - min(effective_days) if effective_days else 0
        return sums


def assess(given: AssuranceInput) -> dict[str, Any]:
    """As a bundle states it. Raises ImpossibleCounts for counts that no evidence can have."""
    _check(given)
    return {
        "level": _level(given),
        "observed_share": _share(given.observed, given.effective),
        "relayed_share": _share(given.relayed, given.effective),
        "days": given.days,
        "span_days": given.span_days,
        "effective_checkpoints": given.effective,
        "limits": [name for name, applies in LIMITS.items() if applies(given)],
    }


def assured_score(conservative_score: int, level: int) -> int:
    """The number to rely on when something is at stake."""
    return min(conservative_score, LEVELS[level][1])


# Exact in integers: a rounded share could reach a threshold that the counts miss.
def _is_mostly_seen(given: AssuranceInput) -> bool:
    return given.effective > 0 and 2 * (given.observed + given.relayed) >= given.effective


def _is_mostly_observed(given: AssuranceInput) -> bool:
    return given.effective > 0 and 2 * given.observed >= given.effective


def _are_outcomes_known(given: AssuranceInput) -> bool:
    return 10 * given.outcomes_known >= 8 * given.decisions_allowed


LIMITS: dict[str, Callable[[AssuranceInput], bool]] = {
    "SELF_REPORTED": lambda given: not _is_mostly_seen(given),
    "SHORT_HISTORY": lambda given: given.days < 14,
    "ONE_BURST": lambda given: 2 * given.by_burst > given.clear,
    "LOW_NOVELTY": lambda given: 10 * given.by_novelty > given.clear,
    "UNTRACED": lambda given: not _are_outcomes_known(given),
    "UNCLAIMED": lambda given: not given.claimed,
    "UNWITNESSED": lambda given: not given.witnessed,
}

#: The conditions of levels 1 to 4; each level also needs those before it.
_CONDITIONS: tuple[Callable[[AssuranceInput], bool], ...] = (
    lambda given: given.days >= 3 and given.effective >= 50,
    lambda given: given.claimed and _is_mostly_seen(given) and given.days >= 7,
    lambda given: (
        _is_mostly_observed(given)
        and given.days >= 14
        and given.effective >= 200
        and _are_outcomes_known(given)
    ),
    lambda given: given.witnessed,
)


def _level(given: AssuranceInput) -> int:
    for level, is_met in enumerate(_CONDITIONS):
        if not is_met(given):
            return level
    return len(_CONDITIONS)


def _share(part: int, whole: int) -> float:
    return 0 if whole == 0 else round_to(part / whole, 4)


def _check(given: AssuranceInput) -> None:
    effective, clear = given.effective, given.clear
    require_count("clear", clear)
    require_count("setAsideByBurst", given.by_burst, clear)
    require_count("setAsideByNovelty", given.by_novelty, clear)
    require_count("effective", effective)
    require_count("observed + relayed", given.observed + given.relayed, effective)
    require_count("observed", given.observed)
    require_count("relayed", given.relayed)
    require_count("days", given.days, min(WINDOW_DAYS, effective))
    require_count("spanDays", given.span_days, WINDOW_DAYS - 1)
    require_count("decisionsAllowed", given.decisions_allowed)
    require_count("outcomesKnown", given.outcomes_known, given.decisions_allowed)
