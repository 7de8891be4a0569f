import { judgeCondition } from '@touchstone/protocol/cards'
import { sha256Hex } from '@touchstone/protocol/crypto'
import { provenanceOf, type RecordSource } from '@touchstone/protocol/evidence'
import type { Clock } from '../../../kernel/clock.ts'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import { newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  type Decisions,
  decisionUsed,
  isDecisionAbout,
  loadNamed,
  noSuchDecision,
  toolAllowedBy,
} from '../../../record-origin.ts'
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
  checkpointIdOf,
  completeTrace,
  namedSessionOf,
  readInput,
  sessionOf,
  type TraceInput,
  withCheckpointEscalation,
} from './trace-input.ts'
import { driftSpan, type Timing, traceSpan } from './trace-span.ts'
import { type TraceCard, type Verification, verifyTrace } from './verify-trace.ts'

/** Traces of one agent per transaction. The agent's other traces wait for it. */
const GROUP_MAX = 50

export type TraceDeps = {
  db: Db
  clock: Clock
  events: Events
  agents: Agents
  cards: Cards
  checkpoints: Checkpoints
  decisions: Decisions
  drift: Drift
  meters: Meters
  plans: Plans
  policies: Policies
  /** Undefined unless the operator enabled tracing. */
  spans: Spans | undefined
}

/** The organisation that owns the agents. */
export type Org = { orgId: string; accountId: string }

export type Ingested = { stored: StoredTrace; created: boolean }

/** The outcome of one trace of a batch. */
export type BatchOutcome =
  | { status: 'created' | 'duplicate'; stored: StoredTrace }
  | { status: 'rejected'; problem: Problem }

export function createTraceIngest(deps: TraceDeps) {
  const prepare = (org: Org, inputs: readonly TraceInput[]): Promise<PreparedPolicies> =>
    deps.policies.prepare(
      org.orgId,
      inputs.map((input) => ({ agentId: input.agent_id, tools: toolsOf(input) })),
    )

  return {
    async ingest(org: Org, input: TraceInput, source: RecordSource): Promise<Ingested> {
      const arriving = arrive(deps.clock.now(), input)
      const named = assertNamed(arriving, await namedBy(deps, org, [arriving]))
      const policies = await prepare(org, [input])
      const given = { org, source, policies, group: [named] }
      const [ingested] = await storeInTransaction(deps, given)
      if (ingested === undefined) throw new Error('a trace got no outcome')
      return ingested
    },

    /** A rejected trace does not stop the rest. */
    async ingestAll<Item>(
      org: Org,
      { given, source }: { given: readonly Item[]; source: RecordSource },
      read: (item: Item) => TraceInput,
    ): Promise<BatchOutcome[]> {
      const now = deps.clock.now()
      const arrived = given.map((item) => attempt(() => arrive(now, read(item))))
      const decisions = await namedBy(deps, org, acceptedOf(arrived))
      const readings = arrived.map((one) =>
        one.ok ? attempt(() => assertNamed(one.value, decisions)) : one,
      )
      const inputs = acceptedOf(readings).map(({ input }) => input)
      const policies = await prepare(org, inputs)
      const outcomes = new Map<number, BatchOutcome>()
      readings.forEach((reading, index) => {
        if (!reading.ok) outcomes.set(index, { status: 'rejected', problem: reading.problem })
      })
      for (const places of placesByAgent(readings)) {
        const group = places.map(({ arriving }) => arriving)
        const stored = await storeGroupOrEach(deps, { org, source, policies, group })
        stored.forEach((outcome, at) => {
          outcomes.set(places[at]?.index ?? -1, outcome)
        })
      }
      return given.flatMap((_, index) => outcomes.get(index) ?? [])
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

/** Any other error fails the whole batch. */
function asProblem(err: unknown): Problem {
  if (err instanceof Problem) return err
  throw err
}

type Arriving = {
  input: TraceInput
  timestamp: Date
  now: Date
  inputHash: string
  /** The tool of the call, if the gateway allowed it. */
  allowedTool: string | undefined
}

function arrive(now: Date, input: TraceInput): Arriving {
  const { canonical, timestamp } = accept(input, now)
  return { input, timestamp, now, inputHash: sha256Hex(canonical), allowedTool: undefined }
}

function acceptedOf(readings: readonly Attempt<Arriving>[]): Arriving[] {
  return readings.flatMap((reading) => (reading.ok ? [reading.value] : []))
}

function namedBy(deps: TraceDeps, org: Org, arriving: readonly Arriving[]) {
  const named = arriving.flatMap(({ input }) => input.decision_id ?? [])
  return loadNamed(deps.decisions, org.orgId, named)
}

function assertNamed(arriving: Arriving, decisions: Awaited<ReturnType<typeof namedBy>>): Arriving {
  const { agent_id: agentId, decision_id: decisionId } = arriving.input
  const about = { agentId, sessionId: namedSessionOf(arriving.input) ?? null }
  if (decisionId === undefined) return arriving
  const decision = decisions.get(decisionId)
  if (!isDecisionAbout(about, decision)) throw noSuchDecision('decision_id', decisionId)
  return { ...arriving, allowedTool: toolAllowedBy(decision) }
}

type Place = { index: number; arriving: Arriving }

/** Groups the traces by agent, in order, up to the size of a transaction. */
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
type Group = {
  org: Org
  source: RecordSource
  policies: PreparedPolicies
  group: readonly Arriving[]
}

/** If one trace is rejected, falls back to storing each by itself. */
async function storeGroupOrEach(deps: TraceDeps, given: Group): Promise<BatchOutcome[]> {
  try {
    return (await storeInTransaction(deps, given)).map(asOutcome)
  } catch (err) {
    const problem = asProblem(err)
    if (given.group.length === 1) return [{ status: 'rejected', problem }]
  }
  const outcomes: BatchOutcome[] = []
  for (const one of given.group) {
    outcomes.push(...(await storeGroupOrEach(deps, { ...given, group: [one] })))
  }
  return outcomes
}

function asOutcome({ stored, created }: Ingested): BatchOutcome {
  return { status: created ? 'created' : 'duplicate', stored }
}

/** All of them or none, in one transaction. */
async function storeInTransaction(deps: TraceDeps, given: Group): Promise<Ingested[]> {
  const { kept, checks } = await transact(deps.db, (tx) => storeGroup(deps, tx, given))
  for (const { work } of kept) work?.policy?.settle()
  if (deps.spans !== undefined) {
    for (const { stored, work } of kept) {
      if (work === undefined) continue
      const { trace, verification } = stored
      const about = { traceId: trace.trace_id, cardId: verification.card_id, verification }
      deps.spans.record(traceSpan({ ...about, ...work.verifying }))
    }
    for (const check of checks) deps.spans.record(driftSpan(check))
  }
  return kept.map(({ stored, created }) => ({ stored, created }))
}

type Followed = Parameters<Drift['followTrace']>[2]
type DriftCheck = Timing & Awaited<ReturnType<Drift['followTrace']>>

/** The work done for a new trace besides storing it; undefined for a duplicate. */
type Work = { verifying: Timing; policy: PolicyJudgement | undefined; followed: Followed }
type Kept = Ingested & { work?: Work }

async function storeGroup(
  deps: TraceDeps,
  tx: Db,
  { org, source, policies, group }: Group,
): Promise<{ kept: Kept[]; checks: DriftCheck[] }> {
  const agentId = group[0]?.input.agent_id ?? ''
  await deps.agents.hear(tx, { agentId, orgId: org.orgId })
  const kept: Kept[] = []
  const sighted = new Map<string, number>()
  for (const arriving of group) {
    kept.push(await keep(deps, tx, { org, source, policies, arriving, sighted }))
  }
  const works = kept.flatMap(({ work }) => work ?? [])
  if (works.length === 0) return { kept, checks: [] }
  // Every verification is metered, whatever its result.
  await deps.meters.record(tx, { orgId: org.orgId, meter: 'checks', amount: works.length })
  // Late, because it locks the card's other traces out. One check covers all traces of a card.
  const cards = new Map(works.map(({ followed }) => [followed.cardId, followed]))
  const checks: DriftCheck[] = []
  for (const followed of cards.values()) {
    const started = start(deps.clock)
    checks.push({ ...(await deps.drift.followTrace(tx, org, followed)), ...started.stop() })
  }
  // Last, because it locks all other traces of the agent out, without a timeout.
  const verified = kept.filter(({ stored, work }) => work && stored.verification.verified)
  const added = { stored: works.length, verified: verified.length }
  await createTraceStore(tx).addToTally(agentId, added)
  return { kept, checks }
}

type Keeping = Omit<Group, 'group'> & {
  arriving: Arriving
  /** Tools first used by earlier traces of this transaction, and since when. */
  sighted: Map<string, number>
}

async function keep(deps: TraceDeps, tx: Db, keeping: Keeping): Promise<Kept> {
  const { org, source, policies, arriving, sighted } = keeping
  const { input, timestamp, now, inputHash, allowedTool } = arriving
  const traces = createTraceStore(tx)
  const { agent_id: agentId } = input
  const traceId = input.trace_id ?? newId('tr')
  if (!(await traces.claimId({ orgId: org.orgId, agentId }, traceId))) {
    return repeated(await traces.find({ agentId, traceId }), { traceId, inputHash })
  }
  const { decision_id: decisionId } = input
  if (decisionId !== undefined && (await traces.isDecisionUsed(agentId, decisionId))) {
    throw decisionUsed(decisionId)
  }
  const wanted = { orgId: org.orgId, agentId, cardId: input.card_id, at: timestamp }
  const found = await deps.cards.findForTrace(tx, wanted)
  const judging = { input, traceId, timestamp, now, found, allowedTool }
  const { trace: sent, verification, ...verifying } = judge(deps, judging)
  const { checkpointId, verdict } = await findCheckpoint(deps, tx, input)
  const trace = withCheckpointEscalation(sent, verdict)
  const policy = policies.judge({ agentId, tools: toolsOf(trace), at: timestamp }, sighted)
  const stored = {
    trace,
    orgId: org.orgId,
    sessionId: sessionOf(trace, timestamp),
    verification,
    policy: policy?.findings ?? null,
    inputHash,
    provenance: provenanceOf({
      source,
      agentId,
      namesDecisions: decisionId !== undefined,
      timestamp,
      receivedAt: now,
    }),
    createdAt: now,
    keepUntil: later(now, found.card.audit_commitment.retention_days * DAY_MS),
  }
  await traces.insert(stored)
  if (checkpointId !== undefined) {
    await deps.checkpoints.linkTrace(tx, { agentId, checkpointId, traceId })
  }
  await policy?.record(tx, traceId)
  // The event names the session even if the trace did not.
  const announced = { ...trace, context: { ...trace.context, session_id: stored.sessionId } }
  await deps.events.emit(tx, { ...org, ...traceEvent(announced, verification, stored.policy) })
  const declaredValues = found.card.values.declared.map(shorten)
  // The card that was used: otherwise a made-up card id per trace would evade drift detection.
  const followed = { agentId, cardId: found.cardId, declaredValues }
  return { stored, created: true, work: { verifying, policy, followed } }
}

function start(clock: Clock): { stop(): Timing } {
  const startedAt = clock.now()
  return {
    stop: () => ({ startedAt, durationMs: clock.nowMs() - startedAt.getTime() }),
  }
}

/**
 * A trace of the agent sent again gets the stored result; a different trace of the organisation with
 * the same id is a conflict.
 */
function repeated(
  known: StoredTrace | undefined,
  asked: { traceId: string; inputHash: string },
): Kept {
  if (known?.inputHash === asked.inputHash) return { stored: known, created: false }
  throw new Problem('conflict', `The trace id ${asked.traceId} is taken.`)
}

type Judging = {
  input: TraceInput
  traceId: string
  timestamp: Date
  now: Date
  /** A card that is not stored may have no id. */
  found: { cardId: string | undefined; card: TraceCard; named: boolean }
  allowedTool?: string | undefined
}

/** The trace with its defaults filled in, and its verification. */
export function judge(
  deps: TraceDeps,
  { input, traceId, timestamp, now, found, allowedTool }: Judging,
): { trace: Trace; verification: Verification } & Timing {
  const started = start(deps.clock)
  const { card, cardId = '', named: cardNamed } = found
  const trace = completeTrace(input, { traceId, cardId, timestamp })
  const verification = verifyTrace({
    trace,
    card,
    cardId,
    cardNamed,
    allowedTool,
    now,
    judge: judgeCondition,
  })
  return { trace, verification, ...started.stop() }
}

/** Empty unless the trace names a checkpoint of its own agent. */
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
