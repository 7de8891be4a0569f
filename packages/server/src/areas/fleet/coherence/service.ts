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

/** Fleet size and cache lifetime (spec: fleet §1.3). */
const AGENTS_MIN = 2
export const AGENTS_MAX = 200
const CACHED_MS = 5 * MINUTE_MS

/** Agents of an organisation read to find those with a card. */
const AGENTS_READ_MAX = 1000

const CACHED_MAX = 1000
/** Estimated size of all cached results as JSON text. */
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

/** The coherence of an organisation's agents. */
export type CheckedFleet = {
  orgId: string
  computedAt: Date
  fleet: FleetCoherence
  agentsWithoutCard: readonly string[]
}

export type CoherenceService = ReturnType<typeof createCoherenceService>

export function createCoherenceService(deps: CoherenceDeps) {
  const ledger = createLedger(deps)
  const checkFleet = createFleetCheck(deps, ledger)
  return {
    check: (
      orgIds: readonly string[],
      wanted: PairWanted,
      { recordFor }: { recordFor: string | undefined },
    ): Promise<CheckedPair> => checkPair(deps, ledger, { orgIds, wanted, recordFor }),
    /** Compares all agents of an organisation, or the given ones. Cached for 5 minutes. */
    fleet: checkFleet,
    record: ledger.record,
    peersOf: ledger.peersOf,
    usedAt: ledger.usedAt,
    lowestPeers: ledger.lowestPeers,
    erase: ledger.erase,
    purge: ledger.purge,
  }
}

type PairRequest = {
  orgIds: readonly string[]
  wanted: PairWanted
  /** The organisation that asks; undefined if the caller may not change anything. */
  recordFor: string | undefined
}

async function checkPair(
  deps: CoherenceDeps,
  ledger: Ledger,
  { orgIds, wanted, recordFor }: PairRequest,
): Promise<CheckedPair> {
  const { agentA, agentB, requiredValues } = wanted
  const startedMs = deps.elapsedMs()
  if (agentA === agentB) {
    throw new Problem('validation_error', 'agent_b: must differ from agent_a')
  }
  await deps.agents.getShown(agentA, orgIds)
  await deps.agents.getShown(agentB, orgIds)
  const [a, b] = await getPair(deps, agentA, agentB)
  const coherence = pairCoherence(a, b, requiredValues)
  if (recordFor !== undefined) {
    // The ledger stores the score without the required values of this request.
    const { scoreE4 } = requiredValues === undefined ? coherence : pairCoherence(a, b)
    const pairs = [{ agentA, agentB, scoreE4 }]
    await transact(deps.db, (tx) => ledger.record(tx, pairs, { orgId: recordFor }))
  }
  const checkedAt = deps.clock.now()
  const durationMs = deps.elapsedMs() - startedMs
  deps.spans?.record(coherenceSpan(coherence, { checkedAt, durationMs }))
  return { ...wanted, coherence, checkedAt }
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
    throw new Problem('validation_error', `${agentId} has no active card.`)
  }
  return [holderOf(agentA), holderOf(agentB)]
}

type FleetRequest = {
  agentIds: readonly string[] | undefined
  variant: string
  /** Whether the result enters scores: not for callers that may only read. */
  isRecorded: boolean
}

function createFleetCheck(deps: CoherenceDeps, ledger: Ledger) {
  const cache = createCache<CheckedFleet>({
    clock: deps.clock,
    entriesMax: CACHED_MAX,
    ttlMs: CACHED_MS,
    weight: { of: charactersOf, max: CACHED_CHARACTERS_MAX },
  })
  const running = new Map<string, Promise<CheckedFleet>>()

  const compute = async (
    orgId: string,
    wanted: readonly string[] | undefined,
    isRecorded: boolean,
  ) => {
    const agentIds = await chooseAgents(deps, orgId, wanted)
    const holders = await deps.cards.activeValues(deps.db, agentIds)
    assertFleetSize(holders.length)
    const fleet = fleetCoherence(holders)
    if (isRecorded) await transact(deps.db, (tx) => ledger.record(tx, fleet.pairs, { orgId }))
    const withCard = new Set(holders.map(({ agentId }) => agentId))
    const agentsWithoutCard = agentIds.filter((agentId) => !withCard.has(agentId))
    return { orgId, computedAt: deps.clock.now(), fleet, agentsWithoutCard }
  }

  return async (
    orgId: string,
    { agentIds, variant, isRecorded }: FleetRequest,
  ): Promise<CheckedFleet & { cached: boolean }> => {
    const distinct = agentIds && [...new Set(agentIds)].sort()
    const key = JSON.stringify([orgId, variant, isRecorded, distinct ?? null])
    const cached = cache.get(key)
    if (cached !== undefined) return { ...cached, cached: true }
    // Concurrent requests share one computation.
    const computation = running.get(key) ?? compute(orgId, distinct, isRecorded)
    running.set(key, computation)
    try {
      const computed = await computation
      cache.set(key, computed)
      return { ...computed, cached: false }
    } finally {
      running.delete(key)
    }
  }
}

/** Estimates the length of the response. */
function charactersOf({ fleet }: CheckedFleet): number {
  const named = fleet.divergences.reduce(
    (sum, one) => sum + one.declaring.length + one.missing.length + one.conflicting.length,
    0,
  )
  return 150 * fleet.pairs.length + 40 * named
}

/** In ascending order. */
async function chooseAgents(
  deps: CoherenceDeps,
  orgId: string,
  wanted: readonly string[] | undefined,
): Promise<readonly string[]> {
  if (wanted === undefined) return deps.agents.listOpenIds(orgId, AGENTS_READ_MAX)
  assertFleetSize(wanted.length)
  const facts = await deps.agents.listFacts(deps.db, wanted)
  const own = new Set(
    facts.flatMap((agent) => (agent.orgId === orgId && !agent.archived ? [agent.agentId] : [])),
  )
  const missing = wanted.find((agentId) => !own.has(agentId))
  if (missing === undefined) return wanted
  throw new Problem('agent_not_found', `The organisation has no active agent ${missing}.`)
}

function assertFleetSize(count: number): void {
  if (count >= AGENTS_MIN && count <= AGENTS_MAX) return
  throw new Problem(
    'validation_error',
    `Coherence requires ${AGENTS_MIN} to ${AGENTS_MAX} agents with an active card, not ${count}; select them with agent_ids.`,
  )
}
