import { judgeCondition } from '@touchstone/protocol/cards'
import { sha256Hex } from '@touchstone/protocol/crypto'
import type { Clock } from '../../../kernel/clock.ts'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import { newId } from '../../../kernel/ids.ts'
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
import { createTraceStore, type StoredTrace } from './store.ts'
import { type Trace, toolsOf } from './trace.ts'
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

/** Traces of one agent in one transaction, for which its other traces wait. */
const GROUP_MAX = 50

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

export function ingesting(deps: TraceDeps) {
  const prepare = (org: Org, inputs: readonly TraceInput[]): Promise<PreparedPolicies> =>
    deps.policies.prepare(
      org.orgId,
      inputs.map((input) => ({ agentId: input.agent_id, tools: toolsOf(input) })),
    )

  return {
    async ingest(org: Org, input: TraceInput): Promise<Ingested> {
      const arriving = arrive(deps.clock.now(), input)
      const policies = await prepare(org, [input])
      const [ingested] = await storeAlone(deps, { org, policies, group: [arriving] })
      if (ingested === undefined) throw new Error('a trace was not stored')
      return ingested
    },

    /** One that is refused takes no other with it. */
    async ingestAll<Item>(
      org: Org,
      items: readonly Item[],
      read: (item: Item) => TraceInput,
    ): Promise<BatchOutcome[]> {
      const now = deps.clock.now()
      const readings = items.map((item) => attempt(() => arrive(now, read(item))))
      const inputs = readings.flatMap((reading) => (reading.ok ? [reading.value.input] : []))
      const policies = await prepare(org, inputs)
      const outcomes = new Map<number, BatchOutcome>()
      readings.forEach((reading, index) => {
        if (!reading.ok) outcomes.set(index, { status: 'rejected', problem: reading.problem })
      })
      for (const places of placesByAgent(readings)) {
        const group = places.map(({ arriving }) => arriving)
        const stored = await storeTogether(deps, { org, policies, group })
        stored.forEach((outcome, at) => {
          outcomes.set(places[at]?.index ?? -1, outcome)
        })
      }
      return items.flatMap((_, index) => outcomes.get(index) ?? [])
    },
  }
}

type Attempt<T> = { ok: true; value: T } | { ok: false; problem: Problem }

function attempt<T>(work: () => T): Attempt<T> {
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

type Arriving = { input: TraceInput; timestamp: Date; now: Date; inputHash: string }

function arrive(now: Date, input: TraceInput): Arriving {
  const { canonical, timestamp } = accept(input, now)
  return { input, timestamp, now, inputHash: sha256Hex(canonical) }
}

type Place = { index: number; arriving: Arriving }

/** In their order, those of an agent together, no more than a transaction shall hold. */
function placesByAgent(readings: readonly Attempt<Arriving>[]): Place[][] {
  const groups: Place[][] = []
  const open = new Map<string, Place[]>()
  readings.forEach((reading, index) => {
    if (!reading.ok) return
    const { agent_id: agentId } = reading.value.input
    const known = open.get(agentId)
    const group = known === undefined || known.length >= GROUP_MAX ? [] : known
    if (group !== known) {
      open.set(agentId, group)
      groups.push(group)
    }
    group.push({ index, arriving: reading.value })
  })
  return groups
}

/** Traces of one agent. */
type Group = { org: Org; policies: PreparedPolicies; group: readonly Arriving[] }

/** When it fails for a reason of one of them, each is stored by itself. */
async function storeTogether(deps: TraceDeps, together: Group): Promise<BatchOutcome[]> {
  try {
    return (await storeAlone(deps, together)).map(asOutcome)
  } catch (err) {
    const problem = asProblem(err)
    if (together.group.length === 1) return [{ status: 'rejected', problem }]
  }
  const outcomes: BatchOutcome[] = []
  for (const one of together.group) {
    outcomes.push(...(await storeTogether(deps, { ...together, group: [one] })))
  }
  return outcomes
}

function asOutcome({ stored, created }: Ingested): BatchOutcome {
  return { status: created ? 'created' : 'duplicate', stored }
}

/** In one transaction: all of them or none. */
async function storeAlone(deps: TraceDeps, together: Group): Promise<Ingested[]> {
  const { kept, looks } = await transact(deps.db, (tx) => storeGroup(deps, tx, together))
  for (const { work } of kept) work?.policy?.settle()
  if (deps.spans !== undefined) {
    for (const { stored, work } of kept) {
      if (work === undefined) continue
      const { trace, verification } = stored
      const about = { traceId: trace.trace_id, cardId: verification.card_id, verification }
      deps.spans.record(traceSpan({ ...about, ...work.verifying }))
    }
    for (const look of looks) deps.spans.record(driftSpan(look))
  }
  return kept.map(({ stored, created }) => ({ stored, created }))
}

type Followed = Parameters<Drift['followTrace']>[2]
type Look = Timing & Awaited<ReturnType<Drift['followTrace']>>

/** What was done for a new trace beside storing it; undefined for one that is known already. */
type Work = { verifying: Timing; policy: PolicyJudgement | undefined; followed: Followed }
type Kept = Ingested & { work?: Work }

async function storeGroup(
  deps: TraceDeps,
  tx: Db,
  { org, policies, group }: Group,
): Promise<{ kept: Kept[]; looks: Look[] }> {
  const agentId = group[0]?.input.agent_id ?? ''
  await deps.agents.hear(tx, { agentId, orgId: org.orgId })
  const kept: Kept[] = []
  const sighted = new Map<string, number>()
  for (const arriving of group) {
    kept.push(await keep(deps, tx, { org, policies, arriving, sighted }))
  }
  const works = kept.flatMap(({ work }) => work ?? [])
  if (works.length === 0) return { kept, looks: [] }
  // The check is the work that counts, whatever it found.
  await deps.meters.record(tx, { orgId: org.orgId, meter: 'checks', amount: works.length })
  // Late, because from here on the card's other traces wait for these. One look sees them all.
  const cards = new Map(works.map(({ followed }) => [followed.cardId, followed]))
  const looks: Look[] = []
  for (const followed of cards.values()) {
    const started = start(deps.clock)
    looks.push({ ...(await deps.drift.followTrace(tx, org, followed)), ...started.stop() })
  }
  // Last, because from here on all traces of the agent wait for these, and none gives up.
  await createTraceStore(tx).addToTally(agentId, works.length)
  return { kept, looks }
}

type Keeping = Omit<Group, 'group'> & {
  arriving: Arriving
  /** Tools that traces before it in this transaction were the first to use, and since when. */
  sighted: Map<string, number>
}

async function keep(deps: TraceDeps, tx: Db, keeping: Keeping): Promise<Kept> {
  const { org, policies, arriving, sighted } = keeping
  const { input, timestamp, now, inputHash } = arriving
  const traces = createTraceStore(tx)
  const { agent_id: agentId } = input
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
  const policy = policies.judge({ agentId, tools: toolsOf(trace), at: timestamp }, sighted)
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
  const declaredValues = found.card.values.declared.map(shorten)
  // The card it was held against: names made up for each trace would keep every one apart.
  const followed = { agentId, cardId: found.cardId, declaredValues }
  return { stored, created: true, work: { verifying, policy, followed } }
}

function start(clock: Clock): { stop(): Timing } {
  const startedAt = clock.now()
  return {
    stop: () => ({ startedAt, durationMs: clock.nowMs() - startedAt.getTime() }),
  }
}

/** A trace sent again is answered as the first time; another one may not take its id. */
function repeated(
  known: StoredTrace | undefined,
  asked: { agentId: string; traceId: string; inputHash: string },
): Kept {
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
export function judge(
  deps: TraceDeps,
  { input, traceId, timestamp, now, found }: Judging,
): { trace: Trace; verification: Verification } & Timing {
  const started = start(deps.clock)
  const { card, cardId = '', named: cardNamed } = found
  const trace = completeTrace(input, { traceId, cardId, timestamp })
  const verification = verifyTrace({
    trace,
    card,
    cardId,
    cardNamed,
    now,
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

export function accept(input: TraceInput, now: Date): { canonical: string; timestamp: Date } {
  const read = readInput(input, now)
  if (read.ok) return read
  const { field, code, reason } = read
  const path = field === '' ? '' : `/${field}`
  throw new Problem('invalid_request', `${field === '' ? 'trace' : field}: ${reason}`, {
    details: [{ path, code, message: reason }],
  })
}
