import type { AlignmentCard } from '@touchstone/protocol/cards'
import { RISK_VIOLATION_DAYS_END } from '@touchstone/protocol/risk'
import { createBatcher } from '../../../kernel/batcher.ts'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { AgentFacts } from './agent-facts.ts'
import type { Agents, Cards, Checkpoints, Scores } from './ports.ts'

/** The window for failures of two members on the same day (spec: risk §2.2). */
const CORRELATED_DAYS = 90
/** A critical violation prevents approval for two days (spec: risk §1.2). */
const CRITICAL_DAYS = 2

const CONCURRENT_READS_MAX = 2
const BATCH_MAX = 100
/** A card has at most 64 KB and typically a few hundred bytes. */
const CARDS_MAX = 1000

export type FactsDeps = {
  clock: Clock
  agents: Agents
  cards: Cards
  checkpoints: Checkpoints
  scores: Scores
}

/** Facts about the agents that exist, as of `now`. */
export type Facts = { now: Date; byAgent: ReadonlyMap<string, AgentFacts> }

export type FactsService = ReturnType<typeof createFactsService>

/** Reads the facts about agents that assessments need; only cards are cached. */
export function createFactsService(deps: FactsDeps) {
  const findCards = createCardCache(deps)
  const batcher = createBatcher<readonly string[], Facts>({
    async run(batch) {
      const facts = await readFacts(deps, findCards, batch.flat())
      return batch.map(() => facts)
    },
    itemsMax: BATCH_MAX,
    ageMsMax: 0,
    concurrency: CONCURRENT_READS_MAX,
    // A read fails because of the database, not because of one of its agents.
    failTogether: () => true,
  })
  return {
    read: (agentIds: readonly string[]): Promise<Facts> => readFacts(deps, findCards, agentIds),

    /** As `read`, but calls that arrive during running reads share the next one. */
    readShared: (agentIds: readonly string[]): Promise<Facts> => batcher.add(agentIds),
  }
}

async function readFacts(
  deps: FactsDeps,
  findCards: FindCards,
  wanted: readonly string[],
): Promise<Facts> {
  const agentIds = [...new Set(wanted)].sort()
  const now = deps.clock.now()
  const window = {
    now,
    violationDays: RISK_VIOLATION_DAYS_END,
    violationDateDays: CORRELATED_DAYS,
    criticalDays: CRITICAL_DAYS,
  }
  const [carded, histories, scores] = await Promise.all([
    withCards(deps, findCards, agentIds),
    deps.checkpoints.checkpointHistory(agentIds, window),
    deps.scores.currentScores(agentIds, now),
  ])
  const historyOf = new Map(histories.map((one) => [one.agentId, one]))
  const byAgent = new Map<string, AgentFacts>()
  for (const { agent, card } of carded) {
    const { agentId, orgId, visibility, archived, contained } = agent
    const history = historyOf.get(agentId)
    byAgent.set(agentId, {
      agentId,
      orgId,
      visibility,
      archived,
      contained,
      card,
      analysedCheckpoints: history?.scoredCount ?? 0,
      merkleRoot: history?.root ?? null,
      reputation: scores.get(agentId),
      violations: history?.violations ?? [],
      violationDates: history?.violationDates ?? [],
    })
  }
  return { now, byAgent }
}

type FindCards = ReturnType<typeof createCardCache>

/** Cached by version, because a version of a card never changes. */
function createCardCache({ cards, clock }: FactsDeps) {
  const cache = createCache<AlignmentCard>({ clock, entriesMax: CARDS_MAX, ttlMs: MINUTE_MS })
  const keyOf = (one: CardKey) => `${one.version} ${one.agentId}`
  return async (wanted: readonly CardKey[]): Promise<(AlignmentCard | undefined)[]> => {
    const found = wanted.map((one) => cache.get(keyOf(one)))
    const missing = wanted.filter((_, at) => found[at] === undefined)
    if (missing.length === 0) return found
    const read = await cards.declared(missing)
    for (const one of missing) {
      const card = read.get(one.agentId)
      if (card !== undefined) cache.set(keyOf(one), card)
    }
    return wanted.map((one, at) => found[at] ?? read.get(one.agentId))
  }
}

type CardKey = { agentId: string; version: number }

async function withCards(deps: FactsDeps, findCards: FindCards, agentIds: readonly string[]) {
  const found = await deps.agents.listStates(agentIds)
  const cards = await findCards(
    found.map(({ agentId, cardVersion: version }) => ({ agentId, version })),
  )
  return found.map((agent, at) => ({ agent, card: cards[at] }))
}
