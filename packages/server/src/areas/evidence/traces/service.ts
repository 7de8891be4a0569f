import { DAY_MS, later } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { accept, ingesting, judge, type TraceDeps } from './ingest-service.ts'
import {
  createTraceStore,
  type SeenBehaviour,
  type StoredTrace,
  type TraceFilter,
} from './store.ts'
import type { TracePolicy } from './trace.ts'
import type { TraceInput } from './trace-input.ts'
import { traceSpan } from './trace-span.ts'
import type { Verification } from './verify-trace.ts'

/** A card that is stored nowhere may have no id. */
export type TraceVerdict = Omit<Verification, 'card_id'> & { card_id: string | null }

export type TraceService = ReturnType<typeof createTraceService>

export function createTraceService(deps: TraceDeps) {
  return { ...ingesting(deps), ...reading(deps), ...ending(deps) }
}

function reading(deps: TraceDeps) {
  const store = createTraceStore(deps.db)
  return {
    /** Whose it is decides the caller's side, which alone knows who asks. */
    find: (traceId: string): Promise<StoredTrace | undefined> => store.find(traceId),

    storedCounts: (db: Db, agentIds: readonly string[]): Promise<Map<string, number>> =>
      createTraceStore(db).storedCounts(agentIds),

    /** What was found about it, for whoever links to it. */
    async findFindings(traceId: string) {
      const stored = await store.find(traceId)
      if (stored === undefined) return undefined
      const { violations } = stored.verification
      const policyFailed = stored.policy?.verdict === 'fail'
      return { agentId: stored.trace.agent_id, violations, policyFailed }
    },

    /** What policies said of these traces of an agent, where one held. */
    policiesOf: (agentId: string, traceIds: readonly string[]): Promise<Map<string, TracePolicy>> =>
      store.listPolicies(agentId, traceIds),

    /** For those who hold the past to other rules. */
    findLeftOut: store.findLeftOut,
    listToolUse: store.listToolUse,
    listRecentToolUse: store.listRecentToolUse,

    list: (filter: TraceFilter, page: PageRequest): Promise<Page<StoredTrace>> =>
      store.list(filter, page),

    listLatestIds: (
      tx: Db,
      wanted: { agentId: string; cardId: string; countMax: number },
    ): Promise<string[]> => createTraceStore(tx).listLatestIds(wanted),

    listBehaviour: (
      tx: Db,
      agentId: string,
      traceIds: readonly string[],
    ): Promise<SeenBehaviour[]> => createTraceStore(tx).listBehaviour(agentId, traceIds),

    /** Stores nothing. Held against the given card, else as it would be when stored. */
    async verify(orgId: string, input: TraceInput, card: unknown): Promise<TraceVerdict> {
      const now = deps.clock.now()
      const { timestamp } = accept(input, now)
      const { agent_id: agentId, card_id: named } = input
      if ((await deps.agents.orgOf(agentId)) !== orgId) {
        throw new Problem('agent_not_found', 'No such agent.')
      }
      const agent = { orgId, agentId }
      const given = card === undefined ? undefined : await deps.cards.accept(agent, card)
      const found =
        given === undefined
          ? await deps.cards.findForTrace(deps.db, { ...agent, cardId: named, at: timestamp })
          : { cardId: given.card_id ?? named, card: given, named: true }
      const judging = { input, traceId: input.trace_id ?? '', timestamp, now, found }
      const { verification, startedAt, durationMs } = judge(deps, judging)
      const about = { traceId: input.trace_id, cardId: found.cardId, verification }
      deps.spans?.record(traceSpan({ ...about, startedAt, durationMs }))
      return { ...verification, card_id: found.cardId ?? null }
    },
  }
}

function ending(deps: TraceDeps) {
  const purgeOrg = async (orgId: string, now: Date): Promise<number> => {
    const days = await deps.plans.traceRetentionDays(orgId)
    if (days === null) return 0
    const expiry = { storedBefore: later(now, -days * DAY_MS), now }
    return purgeInPages((rowsMax) =>
      transact(deps.db, (tx) => createTraceStore(tx).deleteExpired(orgId, expiry, rowsMax)),
    )
  }

  return {
    /** By the plan as it stands now, but never sooner than the card promised (04 §7.3). */
    async purge(now: Date): Promise<number> {
      const store = createTraceStore(deps.db)
      let total = 0
      let orgId = await store.nextOrg('')
      while (orgId !== undefined) {
        total += await purgeOrg(orgId, now)
        orgId = await store.nextOrg(orgId)
      }
      return total
    },

    erase: (tx: Db, agentId: AgentId): Promise<void> => createTraceStore(tx).deleteOfAgent(agentId),
  }
}
