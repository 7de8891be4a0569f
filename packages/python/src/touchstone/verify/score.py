"""The rules from counts of evidence to a score (spec: reputation §1), as the service computes them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .encoding import round_half_up
from .json_value import SAFE_INTEGER_MAX, is_safe_integer

METHODOLOGY = "2"

_HOUR_MS = 3_600_000
#: The weight of a violation halves every week.
_HALF_LIFE_HOURS = 168
VIOLATION_WINDOW_MS = 90 * 24 * _HOUR_MS

#: An agent with fewer checkpoints is unrated.
CHECKPOINTS_MIN = 50

#: Weights in tenths, so that sums stay exact.
COMPONENTS = {
    "integrity_ratio": 4,
    "compliance": 2,
    "drift_stability": 2,
    "trace_completeness": 1,
    "coherence_compatibility": 1,
}
_COHERENCE_DEFAULT = 750

#: Best first: grade, tier, lowest score.
GRADES = (
    ("AAA", "Exemplary", 900),
    ("AA", "Established", 800),
    ("A", "Reliable", 700),
    ("BBB", "Developing", 600),
    ("BB", "Emerging", 500),
    ("B", "Concerning", 400),
    ("CCC", "Critical", 0),
)
NOT_RATED = ("NR", "Not Rated")

_CONFIDENCE = (("high", 1000), ("medium", 200), ("low", CHECKPOINTS_MIN))

#: The 0.975 quantile of the normal distribution, for intervals at level 0.95.
_Z = 1.959964


class ImpossibleCounts(ValueError):
    """Counts that no evidence can have: a wrong score would be worse than none."""


@dataclass(frozen=True)
class Violation:
    session_id: str
    timestamp_ms: int
    #: Reclassified: the card was wrong, not the agent.
    card_gap: bool


@dataclass(frozen=True)
class ScoreInput:
    now_ms: int
    #: Of the scoring set: analysed checkpoints without the excluded ones.
    scored: int
    clear: int
    excluded: int
    violations: tuple[Violation, ...]
    #: Sessions with at least three checkpoints of the scoring set.
    sessions: int
    unstable: int
    traces_verified: int
    peers: int
    #: In ten-thousandths, as the adjustment.
    pair_score_e4_sum: float
    adjustment_e4: float
    #: The part of peers of other organisations, which weigh twice as much; 0 in methodology 1.
    peers_across: int = 0
    across_e4_sum: float = 0


@dataclass(frozen=True)
class Rating:
    score: int | None
    grade: str
    tier: str
    confidence: str
    checkpoint_count: int
    #: None while unrated.
    components: dict[str, int] | None
    #: The lower bound of the score's interval.
    conservative_score: int | None


def standing_of(score: float) -> tuple[str, str]:
    """Grade and tier of a score."""
    for grade, tier, score_min in GRADES:
        if score >= score_min:
            return grade, tier
    return GRADES[-1][0], GRADES[-1][1]


def rate(given: ScoreInput) -> Rating:
    """Raises ImpossibleCounts for counts that no evidence can have."""
    components = component_scores(given)
    count = given.scored
    if count < CHECKPOINTS_MIN:
        return Rating(None, *NOT_RATED, "insufficient", count, None, None)
    score = composite_score(components)
    confidence = next(name for name, least in _CONFIDENCE if count >= least)
    low = max(0, round_half_up(score - _margin_below(given, components)))
    return Rating(score, *standing_of(score), confidence, count, components, low)


def component_scores(given: ScoreInput) -> dict[str, int]:
    _check(given)
    scored = given.scored
    return {
        "integrity_ratio": 0 if scored == 0 else round_half_up(1000 * given.clear / scored),
        "compliance": compliance_score(impact_of(given.violations, given.now_ms)),
        "drift_stability": _drift_stability(given),
        "trace_completeness": 1000
        if scored == 0
        else round_half_up(min(1000, 1000 * given.traces_verified / scored)),
        "coherence_compatibility": _coherence(given),
    }


def composite_score(components: dict[str, int]) -> int:
    tenths = sum(weight * components[key] for key, weight in COMPONENTS.items())
    # Integers only: in doubles, some half points would be rounded the wrong way.
    return (tenths + 5) // 10


def is_in_window(timestamp_ms: int, at_ms: int) -> bool:
    return at_ms - VIOLATION_WINDOW_MS < timestamp_ms <= at_ms


def impact_of(violations: Iterable[Violation], at_ms: int) -> float:
    """Each session counts once, by its newest violation, because a single bad run is one incident.
    """
    newest: dict[str, int] = {}
    for one in violations:
        if one.card_gap or not is_in_window(one.timestamp_ms, at_ms):
            continue
        newest[one.session_id] = max(newest.get(one.session_id, one.timestamp_ms), one.timestamp_ms)
    # Sorted, because a sum of doubles depends on its order and a score must not.
    impact = 0.0
    for ms in sorted(newest.values()):
        impact += 2.0 ** (-(at_ms - ms) / _HOUR_MS / _HALF_LIFE_HOURS)
    return impact


def compliance_score(impact: float) -> int:
    return round_half_up(1000 / ((1 + impact) * math.sqrt(1 + impact)))


def _drift_stability(given: ScoreInput) -> int:
    if given.sessions == 0:
        return 1000
    return round_half_up(1000 * (given.sessions - given.unstable) / given.sessions)


def _coherence(given: ScoreInput) -> int:
    base = _COHERENCE_DEFAULT
    weight = given.peers + given.peers_across
    if weight > 0:
        total = given.pair_score_e4_sum + given.across_e4_sum
        base = round_half_up(total / (10 * weight))
    return min(1000, max(0, base + round_half_up(given.adjustment_e4 / 10_000)))


def _margin_below(given: ScoreInput, components: dict[str, int]) -> float:
    """How far the true score may lie below. Only the two ratios are samples."""
    integrity = 0.4 * (components["integrity_ratio"] - 1000 * wilson_low(given.clear, given.scored))
    if given.sessions == 0:
        return abs(integrity)
    low = wilson_low(given.sessions - given.unstable, given.sessions)
    return math.hypot(integrity, 0.2 * (components["drift_stability"] - 1000 * low))


def wilson_low(k: int, n: int) -> float:
    """The low end of the Wilson score interval for k successes in n."""
    if k == 0:
        return 0.0
    p = k / n
    scale = 1 + _Z**2 / n
    centre = (p + _Z**2 / (2 * n)) / scale
    return centre - (_Z * math.sqrt((p * (1 - p)) / n + _Z**2 / (4 * n**2))) / scale


def _check(given: ScoreInput) -> None:
    require_count("checkpoints.scored", given.scored)
    require_count("checkpoints.clear", given.clear, given.scored)
    require_count("checkpoints.excluded", given.excluded)
    require_count("sessions.total", given.sessions)
    require_count("sessions.unstable", given.unstable, given.sessions)
    require_count("tracesVerified", given.traces_verified)
    require_count("peers.count", given.peers)
    require_count("peers.pairScoreE4Sum", given.pair_score_e4_sum, 10_000 * given.peers)
    require_count("peers.acrossOrgs.count", given.peers_across, given.peers)
    most = min(given.pair_score_e4_sum, 10_000 * given.peers_across)
    require_count("peers.acrossOrgs.pairScoreE4Sum", given.across_e4_sum, most)
    within = given.pair_score_e4_sum - given.across_e4_sum
    require_count("peers.pairScoreE4Sum", within, 10_000 * (given.peers - given.peers_across))
    _require_integer("adjustmentE4", given.adjustment_e4)
    _require_integer("nowMs", given.now_ms)


def require_count(name: str, value: float, most: int = SAFE_INTEGER_MAX) -> None:
    _require_integer(name, value)
    if not 0 <= value <= most:
        raise ImpossibleCounts(f"{name} must be from 0 to {most}")


def _require_integer(name: str, value: Any) -> None:
    if not is_safe_integer(value):
        raise ImpossibleCounts(f"{name} must be an integer")
