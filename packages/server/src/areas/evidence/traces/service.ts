import { judgeCondition, sha256Hex } from '@touchstone/protocol'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Page, PageRequest } from '../../../kernel/page.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Spans } from '../../../telemetry/spans.ts'
import { shorten } from './behaviour.ts'
import type {
  Agents,
  Cards,
  Checkpoints,
  Drift,
  Meters,
  Plans,
  Policies,
  PolicyJudgement,
  PreparedPolicies,
} from './ports.ts'
import {
  createTraceStore,
  type SeenBehaviour,
  type StoredTrace,
  type TraceFilter,
} from './store.ts'
import { type Trace, type TracePolicy, toolsOf } from './trace.ts'
import { traceEvent } from './trace-event.ts'
import {
  besideCheckpoint,
  checkpointIdOf,
  completeTrace,
  readInput,
  sessionOf,
  type TraceInput,
} from './trace-input.ts'
import { driftSpan, type Timing, traceSpan } from './trace-span.ts'
import { type TraceCard, type Verification, verifyTrace } from './verify-trace.ts'

/** Traces deleted in one transaction, so that a purge never holds much for long. */
const PURGE_ROWS_MAX = 1000

export type TraceDeps = {
  db: Db
  clock: Clock
  events: Events
  agents: Agents
  cards: Cards
  checkpoints: Checkpoints
  drift: Drift
  meters: Meters
  plans: Plans
  policies: Policies
  /** Absent unless the operator wants tracing of the service's own work. */
  spans: Spans | undefined
}

/** The organisation whose agents are spoken of. */
export type Org = { orgId: string; accountId: string }

export type Ingested = { stored: StoredTrace; created: boolean }

/** What became of one trace of a batch. */
export type BatchOutcome =
  | { status: 'created' | 'duplicate'; stored: StoredTrace }
  | { status: 'rejected'; problem: Problem }

/** A card that is stored nowhere may have no id. */
export type TraceVerdict = Omit<Verification, 'card_id'> & { card_id: string | null }

export type TraceService = ReturnType<typeof createTraceService>

export function createTraceService(deps: TraceDeps) {
  return { ...ingesting(deps), ...reading(deps), ...ending(deps) }
}

function ingesting(deps: TraceDeps) {
  const prepare = (org: Org, inputs: readonly TraceInput[]): Promise<PreparedPolicies> =>
    deps.policies.prepare(
      org.orgId,
      inputs.map((input) => ({ agentId: input.agent_id, tools: toolsOf(input) })),
    )

  const ingest = async (
    org: Org,
    input: TraceInput,
    prepared?: PreparedPolicies,
  ): Promise<Ingested> => {
    const now = deps.clock.now()
    const { canonical, timestamp } = accept(input, now)
    const policies = prepared ?? (await prepare(org, [input]))
    const arriving = { org, input, timestamp, now, inputHash: sha256Hex(canonical), policies }
    const { work, ...ingested } = await transact(deps.db, (tx) => store(deps, tx, arriving))
    work?.policy?.settle()
    if (deps.spans !== undefined && work !== undefined) {
      const { trace, verification } = ingested.stored
      const { card_id: cardId } = verification
      const about = { traceId: trace.trace_id, cardId, verification }
      deps.spans.record(traceSpan({ ...about, ...work.verifying }))
      deps.spans.record(driftSpan(work.following))
    }
    return ingested
  }

  return {
    ingest,

    /** Each in a transaction of its own: one that is refused takes no other with it. */
    async ingestAll<Item>(
      org: Org,
      items: readonly Item[],
      read: (item: Item) => TraceInput,
    ): Promise<BatchOutcome[]> {
      const readings = items.map((item) => attempt(() => read(item)))
      const inputs = readings.flatMap((reading) => (reading.ok ? [reading.value] : []))
      const policies = await prepare(org, inputs)
      const outcomes: BatchOutcome[] = []
      for (const reading of readings) {
        if (!reading.ok) {
          outcomes.push({ status: 'rejected', problem: reading.problem })
          continue
        }
        try {
          const { stored, created } = await ingest(org, reading.value, policies)
          outcomes.push({ status: created ? 'created' : 'duplicate', stored })
        } catch (err) {
          outcomes.push({ status: 'rejected', problem: asProblem(err) })
        }
      }
      return outcomes
    },
  }
}

function attempt<T>(work: () => T): { ok: true; value: T } | { ok: false; problem: Problem } {
  try {
    return { ok: true, value: work() }
  } catch (err) {
    return { ok: false, problem: asProblem(err) }
  }
}

/** Anything else is no refusal of one trace but the end of all. */
function asProblem(err: unknown): Problem {
  if (err instanceof Problem) return err
  throw err
}

type Arriving = {
  org: Org
  input: TraceInput
  timestamp: Date
  now: Date
  inputHash: string
  policies: PreparedPolicies
}

/** What was done for a new trace beside storing it; undefined for one that is known already. */
type Work = {
  verifying: Timing
  policy: PolicyJudgement | undefined
  following: Timing & Awaited<ReturnType<Drift['followTrace']>>
}

async function store(
  deps: TraceDeps,
  tx: Db,
  { org, input, timestamp, now, inputHash, policies }: Arriving,
): Promise<Ingested & { work?: Work }> {
  const traces = createTraceStore(tx)
  const { agent_id: agentId } = input
  await deps.agents.hear(tx, { agentId, orgId: org.orgId })
  const traceId = input.trace_id ?? newId('tr')
  if (!(await traces.claimId(traceId, agentId))) {
    return repeated(await traces.find(traceId), { agentId, traceId, inputHash })
  }
  const wanted = { orgId: org.orgId, agentId, cardId: input.card_id, at: timestamp }
  const found = await deps.cards.findForTrace(tx, wanted)
  const judging = { input, traceId, timestamp, now, found }
  const { trace: sent, verification, ...verifying } = judge(deps, judging)
  const { checkpointId, verdict } = await findCheckpoint(deps, tx, input)
  const trace = besideCheckpoint(sent, verdict)
  const policy = policies.judge({ agentId, tools: toolsOf(trace), at: timestamp })
  const stored = {
    trace,
    orgId: org.orgId,
    sessionId: sessionOf(trace, timestamp),
    verification,
    policy: policy?.findings ?? null,
    inputHash,
    createdAt: now,
    keepUntil: later(now, found.card.audit_commitment.retention_days * DAY_MS),
  }
  await traces.insert(stored)
  if (checkpointId !== undefined) {
    await deps.checkpoints.linkTrace(tx, { agentId, checkpointId, traceId })
  }
  await policy?.record(tx, traceId)
  // One that names no session is told with the session it was put into.
  const told = { ...trace, context: { ...trace.context, session_id: stored.sessionId } }
  await deps.events.emit(tx, { ...org, ...traceEvent(told, verification, stored.policy) })
  // The check is the work that counts, whatever it found.
  await deps.meters.record(tx, { orgId: org.orgId, meter: 'checks', amount: 1 })
  // Late, because from here on the card's other traces wait for this one.
  const declaredValues = found.card.values.declared.map(shorten)
  // The card it was held against: names made up for each trace would keep every one apart.
  const followed = { agentId, cardId: found.cardId, declaredValues }
  const started = start(deps.clock)
  const look = await deps.drift.followTrace(tx, org, followed)
  const following = { ...look, ...started.stop() }
  // Last, because from here on all traces of the agent wait for this one, and none gives up.
  await traces.addToTally(agentId)
  return { stored, created: true, work: { verifying, policy, following } }
}

function start(clock: Clock): { stop(): Timing } {
  const startedAt = clock.now()
  return {
    stop: () => ({ startedAt, durationMs: clock.now().getTime() - startedAt.getTime() }),
  }
}

/** A trace sent again is answered as the first time; another one may not take its id. */
function repeated(
  known: StoredTrace | undefined,
  asked: { agentId: string; traceId: string; inputHash: string },
): Ingested {
  const same = known?.trace.agent_id === asked.agentId && known.inputHash === asked.inputHash
  if (known !== undefined && same) return { stored: known, created: false }
  throw new Problem('conflict', `The trace id ${asked.traceId} is taken.`)
}

type Judging = {
  input: TraceInput
  traceId: string
  timestamp: Date
  now: Date
  /** An unstored card has perhaps no id. */
  found: { cardId: string | undefined; card: TraceCard; named: boolean }
}

/** The trace as it was sent, nothing left out, and what is to be said of it. */
function judge(
  deps: TraceDeps,
  { input, traceId, timestamp, now, found }: Judging,
): { trace: Trace; verification: Verification } & Timing {
  const started = start(deps.clock)
  const { card, cardId = '', named: cardNamed } = found
  const trace = completeTrace(input, { traceId, cardId, timestamp })
  const verification = verifyTrace({
    ...{ trace, card, cardId, cardNamed, now },
    judge: judgeCondition,
  })
  return { trace, verification, ...started.stop() }
}

/** Nothing unless the trace names a checkpoint of its own agent. */
async function findCheckpoint(
  deps: TraceDeps,
  tx: Db,
  input: TraceInput,
): Promise<{ checkpointId?: string; verdict?: string }> {
  const checkpointId = checkpointIdOf(input)
  if (checkpointId === undefined) return {}
  const named = { agentId: input.agent_id, checkpointId }
  const verdict = await deps.checkpoints.findVerdict(tx, named)
  return verdict === undefined ? {} : { checkpointId, verdict }
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
    let total = 0
    for (;;) {
      const gone = await transact(deps.db, (tx) =>
        createTraceStore(tx).deleteExpired(orgId, expiry, PURGE_ROWS_MAX),
      )
      total += gone
      if (gone < PURGE_ROWS_MAX) return total
    }
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

    erase: (tx: Db, agentId: string): Promise<void> => createTraceStore(tx).deleteOfAgent(agentId),
  }
}

function accept(input: TraceInput, now: Date): { canonical: string; timestamp: Date } {
  const read = readInput(input, now)
  if (read.ok) return read
  const { field, code, reason } = read
  const path = field === '' ? '' : `/${field}`
  throw new Problem('invalid_request', `${field === '' ? 'trace' : field}: ${reason}`, {
    details: [{ path, code, message: reason }],
  })
}
