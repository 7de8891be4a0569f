import { rate, VIOLATION_WINDOW_MS } from '@touchstone/protocol/score'
import { later } from '../../../kernel/clock.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createAdjustmentStore } from './adjustment-store.ts'
import { type ComputeDeps, inputOf } from './compute-service.ts'
import { type Hypothesis, simulate } from './simulation.ts'

export type Simulated = { current: ReturnType<typeof rate>; predicted: ReturnType<typeof simulate> }

/** Predicts a score for hypothetical events. Stores nothing. */
export function createSimulateService(deps: ComputeDeps) {
  return {
    async simulate(agentId: string, hypothesis: Hypothesis): Promise<Simulated> {
      const now = deps.clock.now()
      const since = later(now, -VIOLATION_WINDOW_MS)
      const [facts] = await deps.checkpoints.scoringFacts(deps.db, [agentId], {
        now,
        violationsAfter: since,
      })
      if (facts === undefined) throw new Problem('agent_not_found', 'No such agent.')
      const traces = await deps.traces.verifiedCounts(deps.db, [agentId])
      const peers = await deps.coherence.peersOf(deps.db, [agentId], now)
      const adjustments = await createAdjustmentStore(deps.db).sums([agentId], now)
      const otherInputs = {
        tracesVerified: traces.get(agentId) ?? 0,
        peers: peers.get(agentId),
        adjustmentE4: adjustments.get(agentId) ?? 0,
      }
      const input = inputOf(facts, otherInputs, now)
      const { cardGapIds } = hypothesis
      const { unknownIds, ...remaining } =
        cardGapIds.length === 0
          ? { unknownIds: [], violations: input.violations, regained: 0 }
          : await deps.checkpoints.withoutCardGaps(facts, cardGapIds, since)
      if (unknownIds.length > 0) {
        const message = `must contain only checkpoints of this agent with the verdict review_needed or boundary_violation: ${unknownIds[0]}`
        throw new Problem('validation_error', `card_gap_ids: ${message}`, {
          details: [{ path: '/card_gap_ids', code: 'unknown', message }],
        })
      }
      return { current: rate(input), predicted: simulate(input, hypothesis, remaining) }
    },
  }
}
