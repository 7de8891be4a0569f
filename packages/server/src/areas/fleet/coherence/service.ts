import {
  type FleetCoherence,
  fleetCoherence,
  type PairCoherence,
  pairCoherence,
  type ValueHolder,
} from '@touchstone/protocol/risk'
import { createCache } from '../../../kernel/cache.ts'
import { MINUTE_MS } from '../../../kernel/clock.ts'
import { transact } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Spans } from '../../../telemetry/spans.ts'
import { coherenceSpan } from './coherence-span.ts'
import { createLedger, type Ledger, type LedgerDeps } from './ledger-service.ts'
import type { Cards } from './ports.ts'

/** 03 §1.3. */
const AGENTS_MIN = 2
export const AGENTS_MAX = 200
const CACHED_MS = 5 * MINUTE_MS

/** Agents of an organisation looked at to find those with a card. */
const AGENTS_READ_MAX = 1000

const CACHED_MAX = 1000
/** Of all cached answers together, as text. */
const CACHED_CHARACTERS_MAX = 64 * 2 ** 20

export type CoherenceDeps = LedgerDeps & {
  cards: Cards
  spans: Spans | undefined
  elapsedMs(): number
}

export type PairWanted = {
  agentA: string
  agentB: string
  requiredValues: readonly string[] | undefined
}

export type CheckedPair = PairWanted & { coherence: PairCoherence; checkedAt: Date }

/** How well the agents of an organisation go together. */
export type CheckedFleet = {
  orgId: string
  computedAt: Date
  fleet: FleetCoherence
  agentsWithoutCard: readonly string[]
}

export type CoherenceService = ReturnType<typeof createCoherenceService>

export function createCoherenceService(deps: CoherenceDeps) {
  const ledger = createLedger(deps)
  return { ...ledger, ...checking(deps, ledger), ...fleets(deps, ledger) }
}

function checking(deps: CoherenceDeps, ledger: Ledger) {
  return {
    async check(orgIds: readonly string[], wanted: PairWanted): Promise<CheckedPair> {
      const { agentA, agentB, requiredValues } = wanted
      const startedMs = deps.elapsedMs()
      if (agentA === agentB) {
        throw new Problem('validation_error', 'agent_b: must be another agent than agent_a')
      }
      await deps.agents.getShown(agentA, orgIds)
      await deps.agents.getShown(agentB, orgIds)
      const [a, b] = await getPair(deps, agentA, agentB)
      const coherence = pairCoherence(a, b, requiredValues)
      // The ledger knows the pair as it is by itself, whatever was required of it here.
      const { scoreE4 } = requiredValues === undefined ? coherence : pairCoherence(a, b)
      await transact(deps.db, (tx) => ledger.record(tx, [{ agentA, agentB, scoreE4 }]))
      const checkedAt = deps.clock.now()
      const durationMs = deps.elapsedMs() - startedMs
      deps.spans?.record(coherenceSpan(coherence, { checkedAt, durationMs }))
      return { ...wanted, coherence, checkedAt }
    },
  }
}

async function getPair(
  deps: CoherenceDeps,
  agentA: string,
  agentB: string,
): Promise<[ValueHolder, ValueHolder]> {
  const found = await deps.cards.activeValues(deps.db, [agentA, agentB])
  const holderOf = (agentId: string): ValueHolder => {
    const holder = found.find((one) => one.agentId === agentId)
    if (holder !== undefined) return holder
    throw new Problem('validation_error', `${agentId} has no card that is in force.`)
  }
  return [holderOf(agentA), holderOf(agentB)]
}

function fleets(deps: CoherenceDeps, ledger: Ledger) {
  const cache = createCache<CheckedFleet>({
    clock: deps.clock,
    entriesMax: CACHED_MAX,
    ttlMs: CACHED_MS,
    weight: { of: charactersOf, max: CACHED_CHARACTERS_MAX },
  })
  const underWay = new Map<string, Promise<CheckedFleet>>()

  const compute = async (orgId: string, wanted: readonly string[] | undefined) => {
    const agentIds = await chooseAgents(deps, orgId, wanted)
    const holders = await deps.cards.activeValues(deps.db, agentIds)
    assertFleet(holders.length)
    const fleet = fleetCoherence(holders)
    await transact(deps.db, (tx) => ledger.record(tx, fleet.pairs))
    const holding = new Set(holders.map(({ agentId }) => agentId))
    const agentsWithoutCard = agentIds.filter((agentId) => !holding.has(agentId))
    return { orgId, computedAt: deps.clock.now(), fleet, agentsWithoutCard }
  }

  return {
    /** Of all agents of an organisation, or of those named. What was computed holds for 5 minutes. */
    async fleet(
      orgId: string,
      { agentIds, variant }: { agentIds: readonly string[] | undefined; variant: string },
    ): Promise<CheckedFleet & { cached: boolean }> {
      const distinct = agentIds && [...new Set(agentIds)].sort()
      const key = JSON.stringify([orgId, variant, distinct ?? null])
      const kept = cache.get(key)
      if (kept !== undefined) return { ...kept, cached: true }
      const computing = underWay.get(key) ?? compute(orgId, distinct)
      underWay.set(key, computing)
      try {
        const computed = await computing
        cache.set(key, computed)
        return { ...computed, cached: false }
      } finally {
        underWay.delete(key)
      }
    },
  }
}

/** About as many as its answer has. */
function charactersOf({ fleet }: CheckedFleet): number {
  const named = fleet.divergences.reduce(
    (sum, one) => sum + one.declaring.length + one.missing.length + one.conflicting.length,
    0,
  )
  return 150 * fleet.pairs.length + 40 * named
}

/** By id. */
async function chooseAgents(
  deps: CoherenceDeps,
  orgId: string,
  wanted: readonly string[] | undefined,
): Promise<readonly string[]> {
  if (wanted === undefined) return deps.agents.listOpenIds(orgId, AGENTS_READ_MAX)
  assertFleet(wanted.length)
  const facts = await deps.agents.listFacts(deps.db, wanted)
  const own = new Set(
    facts.flatMap((agent) => (agent.orgId === orgId && !agent.archived ? [agent.agentId] : [])),
  )
  const missing = wanted.find((agentId) => !own.has(agentId))
  if (missing === undefined) return wanted
  throw new Problem('agent_not_found', `The organisation has no agent ${missing}.`)
}

function assertFleet(count: number): void {
  if (count >= AGENTS_MIN && count <= AGENTS_MAX) return
  throw new Problem(
    'validation_error',
    `Coherence is that of ${AGENTS_MIN} to ${AGENTS_MAX} agents with cards, not of ${count}; choose some with agent_ids.`,
  )
}
