"""Gathers the calls of a session into checkpoints, because a single call has too few words to be
judged.

See spec: provenance §2. The time and the ids are arguments.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field

from .evidence_text import utf16_length

#: How long the first call of a checkpoint waits for others.
GATHER_SECONDS_MAX = 60.0
#: A checkpoint names at most this many decisions (spec: provenance §1).
_DECISIONS_MAX = 50
#: The least that the service judges, and its estimate of a token (spec: evidence §4.3).
_EVIDENCE_TOKENS_MIN = 100
_UNITS_PER_TOKEN = 4


@dataclass(frozen=True, eq=False)
class GatheredCall:
    """A call as part of the checkpoint of its session."""

    trace_id: str
    tool: str
    #: The card action it performs, or the tool's name.
    action: str
    #: The call itself, as a line of the checkpoint's output.
    line: str
    #: The agent's own words about it, if the client has them.
    thinking: list[str]
    #: The decisions of the gateway about it.
    decision_ids: list[str]
    #: True for refused and escalated calls: somebody may be waiting to see them.
    is_urgent: bool
    at: datetime.datetime


@dataclass(frozen=True, eq=False)
class Gathering:
    """A checkpoint in the making."""

    checkpoint_id: str
    session_id: str
    started_at: float
    calls: list[GatheredCall] = field(default_factory=list)

    @property
    def newest(self) -> GatheredCall:
        return self.calls[-1]

    @property
    def decision_ids(self) -> list[str]:
        return list(dict.fromkeys(one for call in self.calls for one in call.decision_ids))

    @property
    def thinking(self) -> str:
        """Several calls of one answer come with the same words, which are included once."""
        return "\n".join(dict.fromkeys(text for call in self.calls for text in call.thinking))

    @property
    def output(self) -> str:
        return "\n".join(call.line for call in self.calls)

    @property
    def is_enough(self) -> bool:
        return _tokens(self.thinking) + _tokens(self.output) >= _EVIDENCE_TOKENS_MIN

    def is_old(self, now: float) -> bool:
        return now - self.started_at >= GATHER_SECONDS_MAX

    def has_room_for(self, call: GatheredCall) -> bool:
        return len({*self.decision_ids, *call.decision_ids}) <= _DECISIONS_MAX


def _tokens(text: str) -> int:
    return -(-utf16_length(text) // _UNITS_PER_TOKEN)


@dataclass
class Gatherer:
    """Holds back the calls of each session until they make up a checkpoint. Not thread-safe."""

    #: How many sessions may hold back calls; beyond it the oldest one's checkpoint is complete.
    sessions_max: int
    #: In the order in which the sessions began to hold back calls.
    held: dict[str, Gathering] = field(default_factory=dict)

    def add(
        self, call: GatheredCall, session_id: str, new_checkpoint_id: str, now: float
    ) -> tuple[str, list[Gathering]]:
        """The checkpoint that the call belongs to, and those that are complete, in this order."""
        complete: list[Gathering] = []
        gathering = self.held.get(session_id)
        if gathering is not None and not gathering.has_room_for(call):
            complete.append(self.held.pop(session_id))
            gathering = None
        if gathering is None:
            gathering = Gathering(new_checkpoint_id, session_id, now)
            self.held[session_id] = gathering
        gathering.calls.append(call)
        if call.is_urgent or gathering.is_old(now) or gathering.is_enough:
            complete.append(self.held.pop(session_id))
        elif len(self.held) > self.sessions_max:
            complete.append(self.held.pop(next(iter(self.held))))
        return gathering.checkpoint_id, complete

    def due(self) -> float | None:
        """When the oldest checkpoint is complete whatever happens."""
        if not self.held:
            return None
        return min(one.started_at for one in self.held.values()) + GATHER_SECONDS_MAX

    def take_old(self, now: float) -> list[Gathering]:
        old = [session for session, one in self.held.items() if one.is_old(now)]
        return [self.held.pop(session) for session in old]

    def end(self, session_id: str | None = None) -> list[Gathering]:
        """Completes the checkpoint of a session, or of all."""
        if session_id is None:
            complete, self.held = list(self.held.values()), {}
            return complete
        gathering = self.held.pop(session_id, None)
        return [] if gathering is None else [gathering]
