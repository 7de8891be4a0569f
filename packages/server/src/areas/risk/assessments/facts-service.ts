import type { AlignmentCard } from '@touchstone/protocol/cards'
import { RISK_VIOLATION_DAYS_END } from '@touchstone/protocol/risk'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import type { AgentFacts } from './agent-facts.ts'
import type { Agents, Cards, Checkpoints, Scores } from './ports.ts'

/** spec: risk §2.2: days on which two members failed together. */
const CORRELATED_DAYS = 90
/** A critical violation stops approval up to its second day (spec: risk §1.2). */
const CRITICAL_DAYS = 2

const READS_AT_ONCE_MAX = 2
const GROUP_MAX = 100
/** A card has 64 KB at most, and a few hundred bytes as a rule. */
const CARDS_MAX = 1000

export type FactsDeps = {
  clock: Clock
  agents: Agents
  cards: Cards
  checkpoints: Checkpoints
  scores: Scores
}

/** Of those agents that there are, as of one moment. */
export type Facts = { now: Date; byAgent: ReadonlyMap<string, AgentFacts> }

export type FactsService = ReturnType<typeof createFacts>

type Waiting = {
  agentIds: readonly string[]
  resolve(facts: Facts): void
  reject(err: unknown): void
}

/** What assessments need to know of agents, read afresh for each of them. */
export function createFacts(deps: FactsDeps) {
  const findCards = createKnownCards(deps)
  const waiting: Waiting[] = []
  let running = 0
  let isDue = false

  const flush = async (): Promise<void> => {
    isDue = false
    if (waiting.length === 0 || running >= READS_AT_ONCE_MAX) return
    const group = waiting.splice(0, GROUP_MAX)
    running += 1
    try {
      const wanted = group.flatMap(({ agentIds }) => agentIds)
      const facts = await readFacts(deps, findCards, wanted)
      for (const { resolve } of group) resolve(facts)
    } catch (err) {
      for (const { reject } of group) reject(err)
    }
    running -= 1
    schedule()
  }

  const schedule = (): void => {
    if (isDue || waiting.length === 0) return
    isDue = true
    setImmediate(flush)
  }

  return {
    read: (agentIds: readonly string[]): Promise<Facts> => readFacts(deps, findCards, agentIds),

    /** The same, where requests that come together are read for together. */
    readShared: (agentIds: readonly string[]): Promise<Facts> =>
      new Promise((resolve, reject) => {
        waiting.push({ agentIds, resolve, reject })
        schedule()
      }),
  }
}

async function readFacts(
  deps: FactsDeps,
  findCards: KnownCards,
  wanted: readonly string[],
): Promise<Facts> {
  const agentIds = [...new Set(wanted)].sort()
  const now = deps.clock.now()
  const span = {
    now,
    violationDays: RISK_VIOLATION_DAYS_END,
    dateDays: CORRELATED_DAYS,
    criticalDays: CRITICAL_DAYS,
  }
  const [carded, conduct, standings] = await Promise.all([
    withCards(deps, findCards, agentIds),
    deps.checkpoints.conduct(agentIds, span),
    deps.scores.standings(agentIds, now),
  ])
  const conducts = new Map(conduct.map((one) => [one.agentId, one]))
  const byAgent = new Map<string, AgentFacts>()
  for (const { agent, card } of carded) {
    const { agentId, orgId, visibility, archived, contained } = agent
    const own = conducts.get(agentId)
    byAgent.set(agentId, {
      agentId,
      orgId,
      visibility,
      archived,
      contained,
      card,
      analysedCheckpoints: own?.scored ?? 0,
      merkleRoot: own?.root ?? null,
      standing: standings.get(agentId),
      violations: own?.violations ?? [],
      violationDates: own?.violationDates ?? [],
    })
  }
  return { now, byAgent }
}

type KnownCards = ReturnType<typeof createKnownCards>

/** A version of a card never changes, so it is read once in a while. */
function createKnownCards({ cards, clock }: FactsDeps) {
  const kept = createCache<AlignmentCard>({ clock, entriesMax: CARDS_MAX, ttlMs: MINUTE_MS })
  const keyOf = (one: CardKey) => `${one.version} ${one.agentId}`
  return async (wanted: readonly CardKey[]): Promise<(AlignmentCard | undefined)[]> => {
    const found = wanted.map((one) => kept.get(keyOf(one)))
    const missing = wanted.filter((_, at) => found[at] === undefined)
    if (missing.length === 0) return found
    const read = await cards.declared(missing)
    for (const one of missing) {
      const card = read.get(one.agentId)
      if (card !== undefined) kept.set(keyOf(one), card)
    }
    return wanted.map((one, at) => found[at] ?? read.get(one.agentId))
  }
}

type CardKey = { agentId: string; version: number }

async function withCards(deps: FactsDeps, findCards: KnownCards, agentIds: readonly string[]) {
  const found = await deps.agents.standings(agentIds)
  const cards = await findCards(
    found.map(({ agentId, cardVersion: version }) => ({ agentId, version })),
  )
  return found.map((agent, at) => ({ agent, card: cards[at] }))
}
