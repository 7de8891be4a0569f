import { Problem } from '../../../kernel/problem.ts'
import { agentCandidates, isAgentId, unknownAgent } from './agent-name.ts'
import { type Evidence, evidenceOf } from './evidence.ts'
import { type Reading, readGenAiSpan } from './genai-span.ts'
import type { Agents, Checkpoints, Org, Traces } from './ports.ts'
import { MalformedRequest, type Span } from './span.ts'
import { spansOfJson } from './span-json.ts'
import { spansOfProtobuf } from './span-protobuf.ts'
import { type Fate, type Tally, tallyOf } from './tally.ts'

/** As many as the SDKs of OpenTelemetry put into one request unless told otherwise. */
const DECISIONS_MAX = 512

/** 01 §3.3 and §4.1: what one batch of the features behind this one has. */
const TRACES_AT_ONCE = 100
const CHECKPOINTS_AT_ONCE = 50

export type OtlpDeps = {
  agents: Agents
  checkpoints: Checkpoints
  traces: Traces
  /** Told of every request, once it is done. */
  onTaken(tally: Tally): void
}

export type OtlpService = ReturnType<typeof createOtlpService>

/** A span that evidence was made of, and its place among the spans of the request. */
type Pending = { index: number; evidence: Evidence }

export function createOtlpService(deps: OtlpDeps) {
  return {
    /** What an instrumented agent tells, through the same doors as everybody else's evidence. */
    async take(org: Org, request: Uint8Array | object): Promise<Tally> {
      const spans = read(request)
      const { fates, pending } = await prepare(deps, org, spans)
      await store(deps, org, pending, fates)
      const tally = tallyOf([...fates.values()])
      deps.onTaken(tally)
      return tally
    },
  }
}

function read(request: Uint8Array | object): Span[] {
  try {
    return request instanceof Uint8Array ? spansOfProtobuf(request) : spansOfJson(request)
  } catch (err) {
    if (!(err instanceof MalformedRequest)) throw err
    throw new Problem('invalid_request', `The request cannot be read: ${err.message}.`)
  }
}

async function prepare(
  deps: OtlpDeps,
  org: Org,
  spans: readonly Span[],
): Promise<{ fates: Map<number, Fate>; pending: Pending[] }> {
  const fates = new Map<number, Fate>()
  const pending: Pending[] = []
  const readings = spans.map(readGenAiSpan)
  const agents = await agentsOf(deps, org, readings)
  let decisions = 0
  readings.forEach((reading, index) => {
    const fate = settle(reading, decisions, agents)
    if (reading.kind === 'read') decisions += 1
    if ('evidence' in fate) pending.push({ index, evidence: fate.evidence })
    else fates.set(index, fate)
  })
  return { fates, pending }
}

function settle(
  reading: Reading,
  before: number,
  agents: ReadonlySet<string>,
): Fate | { evidence: Evidence } {
  if (reading.kind === 'ignored') return { kind: 'ignored' }
  if (reading.kind === 'refused') return reject(reading.reason)
  if (before >= DECISIONS_MAX) {
    return reject(`a request may hold ${DECISIONS_MAX} GenAI spans; send smaller batches`)
  }
  const candidates = agentCandidates(reading.genai.span)
  const agentId = candidates.find((name) => agents.has(name))
  if (agentId === undefined) return reject(unknownAgent(candidates))
  const made = evidenceOf(reading.genai, agentId)
  return made.ok ? { evidence: made.evidence } : reject(made.reason)
}

function reject(reason: string): Fate {
  return { kind: 'rejected', reason }
}

async function agentsOf(
  deps: OtlpDeps,
  org: Org,
  readings: readonly Reading[],
): Promise<ReadonlySet<string>> {
  const spans = readings.flatMap((reading) => (reading.kind === 'read' ? [reading.genai.span] : []))
  const named = spans.slice(0, DECISIONS_MAX).flatMap(agentCandidates).filter(isAgentId)
  const ids = [...new Set(named)]
  if (ids.length === 0) return new Set()
  return new Set((await deps.agents.forIngest(org.orgId, ids)).map((agent) => agent.agentId))
}

/**
 * Thought comes before deed: a trace names the checkpoint of its decision, which must be there by
 * then (01 §3.1). A span is taken when all of it is; what was stored of one that was not is known
 * when it is sent again.
 */
async function store(
  deps: OtlpDeps,
  org: Org,
  pending: readonly Pending[],
  fates: Map<number, Fate>,
): Promise<void> {
  const known = new Set<number>()
  const thought = pending.flatMap(({ index, evidence }) =>
    evidence.decision === undefined ? [] : [{ index, decision: evidence.decision }],
  )
  for (const batch of batches(thought, CHECKPOINTS_AT_ONCE)) {
    const outcomes = await deps.checkpoints.ingestAll(
      org,
      batch.map(({ decision }) => decision),
    )
    outcomes.forEach((outcome, at) => {
      const index = batch[at]?.index ?? -1
      if (!outcome.ok) fates.set(index, reject(reasonOf(outcome.problem)))
      else if (outcome.result.duplicate) known.add(index)
    })
  }
  const done = pending.filter(({ index }) => !fates.has(index))
  for (const batch of batches(done, TRACES_AT_ONCE)) {
    const outcomes = await deps.traces.ingestAll(
      org,
      batch.map(({ evidence }) => evidence.trace),
    )
    outcomes.forEach((outcome, at) => {
      const one = batch[at]
      if (one === undefined) return
      if (outcome.status === 'rejected') {
        fates.set(one.index, reject(reasonOf(outcome.problem)))
        return
      }
      const before = one.evidence.decision === undefined || known.has(one.index)
      const repeated = outcome.status === 'duplicate' && before
      fates.set(one.index, { kind: repeated ? 'duplicate' : 'accepted' })
    })
  }
}

/**
 * Too many at once is no fault of a span: refused as a whole, the request is sent again after a
 * while, and what was stored of it is known then.
 */
function reasonOf(problem: Problem): string {
  if (problem.code === 'rate_limited') throw problem
  return problem.message
}

function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
