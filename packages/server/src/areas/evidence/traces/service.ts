import { judgeCondition } from '@touchstone/protocol/cards'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { accept, createTraceIngest, judge, type TraceDeps } from './ingest-service.ts'
import {
  createTraceStore,
  type SeenBehaviour,
  type StoredTrace,
  type TraceFilter,
} from './store.ts'
import { createToolUse } from './tool-use-service.ts'
import type { TracePolicy } from './trace.ts'
import type { TraceInput } from './trace-input.ts'
import { traceSpan } from './trace-span.ts'
import { type TraceCard, type Verification, verifyTrace } from './verify-trace.ts'

/** A card that is not stored may have no id. */
export type TraceVerdict = Omit<Verification, 'card_id'> & { card_id: string | null }

export type TraceService = ReturnType<typeof createTraceService>

export function createTraceService(deps: TraceDeps) {
  const ingest = createTraceIngest(deps)
  const reads = createReads(deps)
  return {
    ingest: ingest.ingest,
    ingestAll: ingest.ingestAll,

    countToolUse: createToolUse(deps).count,
    findInOrgs: reads.findInOrgs,
    findFindings: reads.findFindings,
    findLeftOut: reads.findLeftOut,
    list: reads.list,
    listBehaviour: reads.listBehaviour,
    listLatestIds: reads.listLatestIds,
    listRecentToolUse: reads.listRecentToolUse,
    listToolUse: reads.listToolUse,
    policiesOf: reads.policiesOf,
    verifiedCounts: reads.verifiedCounts,
    violationsUnder: reads.violationsUnder,
    verify: reads.verify,

    purge: (now: Date): Promise<number> => purgeExpired(deps, now),
    erase: (tx: Db, agentId: AgentId): Promise<void> => createTraceStore(tx).deleteOfAgent(agentId),
  }
}

function createReads(deps: TraceDeps) {
  const store = createTraceStore(deps.db)
  return {
    /** Checks no access; the caller does. At most one trace per organisation. */
    findInOrgs: (orgIds: readonly string[], traceId: string): Promise<StoredTrace[]> =>
      store.findInOrgs(orgIds, traceId),

    verifiedCounts: (db: Db, agentIds: readonly string[]): Promise<Map<string, number>> =>
      createTraceStore(db).verifiedCounts(agentIds),

    /** The findings about a trace of the agent, for checkpoints that link to it. */
    async findFindings(trace: { agentId: string; traceId: string }) {
      const stored = await store.find(trace)
      if (stored === undefined) return undefined
      const { violations } = stored.verification
      const policyFailed = stored.policy?.verdict === 'fail'
      return { violations, policyFailed }
    },

    /** The violations that a stored trace would have under each of these cards, in their order. */
    async violationsUnder(
      db: Db,
      named: { agentId: string; traceId: string },
      cards: readonly TraceCard[],
    ): Promise<readonly (readonly string[])[] | undefined> {
      const stored = await createTraceStore(db).find(named)
      if (stored === undefined) return undefined
      const { trace } = stored
      const known = { trace, cardId: trace.card_id, cardNamed: true, now: stored.createdAt }
      return cards.map((card) => verifyTrace({ ...known, card, judge: judgeCondition }).violations)
    },

    /** The policy results of these traces, omitting traces without a policy in force. */
    policiesOf: (agentId: string, traceIds: readonly string[]): Promise<Map<string, TracePolicy>> =>
      store.listPolicies(agentId, traceIds),

    /** For evaluating past traces against different policies. */
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

    /** Verifies against the given card or, without one, as if the trace were stored. Stores nothing. */
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

/** By the current plan, but never earlier than the card promised (spec: platform §6.3). */
async function purgeExpired(deps: TraceDeps, now: Date): Promise<number> {
  const store = createTraceStore(deps.db)
  let total = 0
  let orgId = await store.nextOrg('')
  while (orgId !== undefined) {
    total += await purgeOrg(deps, orgId, now)
    orgId = await store.nextOrg(orgId)
  }
  return total
}

async function purgeOrg(deps: TraceDeps, orgId: string, now: Date): Promise<number> {
  const days = await deps.plans.traceRetentionDays(orgId)
  if (days === null) return 0
  const expiry = { storedBefore: later(now, -days * DAY_MS), now }
  return purgeInPages((rowsMax) =>
    transact(deps.db, (tx) => createTraceStore(tx).deleteExpired(orgId, expiry, rowsMax)),
  )
}
