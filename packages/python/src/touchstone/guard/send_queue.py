"""Sends items in order, in batches, and retries with backoff until the service has them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")

#: A batch is sent once calls have paused for this long, so that it does not slow them down.
_QUIET_SECONDS = 0.2
#: Age and number of waiting items at which a batch is sent without waiting for a pause.
_AGE_SECONDS_MAX = 2.0
_WAITING_MAX = 500
_BACKOFF_SECONDS_FIRST = 1.0
_BACKOFF_SECONDS_MAX = 60.0

log = logging.getLogger("touchstone")


def tell(callback: Callable[[Any], object], value: Any) -> None:
    """An error of the program's own callback must not stop the sending."""
    try:
        callback(value)
    except Exception:
        log.exception("A callback of the guard failed.")


class SendQueue(Generic[Item]):
    def __init__(
        self,
        *,
        most: int,
        batch_max: int,
        send: Callable[[list[Item]], None],
        on_evicted: Callable[[Item], object],
        on_delayed: Callable[[Exception], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`send` raises if the batch is to be retried. `most` is the capacity."""
        self._most = most
        self._batch_max = batch_max
        self._send = send
        self._on_evicted = on_evicted
        self._on_delayed = on_delayed
        self._clock = clock
        self.reset()

    def reset(self) -> None:
        """Empty and with new locks, also in a forked process, whose parent sends the items."""
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._waiting: list[Item] = []
        self._due: float | None = None
        self._waiting_since: float | None = None
        self._is_backing_off = False
        self._backoff = _BACKOFF_SECONDS_FIRST

    def __len__(self) -> int:
        return len(self._waiting)

    def due(self) -> float | None:
        """When the next batch is to be sent."""
        return self._due

    def add(self, item: Item) -> None:
        """Evicts the oldest item if the queue is full."""
        evicted: list[Item] = []
        with self._lock:
            if len(self._waiting) >= self._most:
                evicted.append(self._waiting.pop(0))
            self._waiting.append(item)
            self._schedule()
        for one in evicted:
            self._on_evicted(one)

    def flush(self, timeout: float = -1) -> None:
        """Sends the items that wait now. Raises if any could not be sent."""
        if not self._sending.acquire(timeout=timeout):
            raise TimeoutError("an earlier batch is still being sent")
        try:
            self._send_waiting()
        finally:
            self._sending.release()

    def _send_waiting(self) -> None:
        with self._lock:
            left = len(self._waiting)
            self._stop_timer()
        try:
            while left > 0:
                with self._lock:
                    batch = self._waiting[: min(self._batch_max, left)]
                self._send(batch)
                sent = {id(one) for one in batch}
                with self._lock:
                    # add() may have evicted some of them in the meantime.
                    self._waiting = [one for one in self._waiting if id(one) not in sent]
                    self._backoff = _BACKOFF_SECONDS_FIRST
                left -= self._batch_max
        except Exception as error:
            with self._lock:
                self._stop_timer()
                self._is_backing_off = True
                self._due = self._clock() + self._backoff
                self._backoff = min(_BACKOFF_SECONDS_MAX, self._backoff * 2)
            tell(self._on_delayed, error)
            raise

    def _schedule(self) -> None:
        """After a pause, or after a backoff that new items do not cut short."""
        if self._is_backing_off:
            return
        now = self._clock()
        if self._waiting_since is None:
            self._waiting_since = now
        is_due = len(self._waiting) >= _WAITING_MAX
        left = 0.0 if is_due else self._waiting_since + _AGE_SECONDS_MAX - now
        self._due = now + max(0.0, min(_QUIET_SECONDS, left))

    def _stop_timer(self) -> None:
        self._due = None
        self._waiting_since = None
        self._is_backing_off = False
