"""Prints the added latency of the Python guard: the median of its rounds, in milliseconds."""

import statistics
import sys
import time

from touchstone import Touchstone

ROUNDS = 9
CALLS = 150


def median_ms(work):
    times = []
    for _ in range(CALLS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


url, key, agent_id = sys.argv[1:]
with Touchstone(url, key, agent_id=agent_id) as client:
    guarded = client.wrap_tool(lambda order: order, tool="shop_search")
    work = (lambda: client.decide("shop_search", {"order": 1}), lambda: guarded(1))
    for warm_up in work:
        median_ms(warm_up)
    rounds = []
    for _ in range(ROUNDS):
        bare, with_guard = median_ms(work[0]), median_ms(work[1])
        rounds.append(with_guard - bare)
        # The records of a round are sent before the next one begins.
        client.default_guard.flush()
    print(statistics.median(rounds))
