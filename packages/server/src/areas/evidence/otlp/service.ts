import { Problem } from '../../../kernel/problem.ts'
import { agentCandidates, isAgentId, unknownAgent } from './agent-name.ts'
import { type Evidence, evidenceOf } from './evidence.ts'
import { type Reading, readGenAiSpan } from './genai-span.ts'
import type { Agents, Checkpoints, Org, Sender, Traces } from './ports.ts'
import { MalformedRequest, type Span } from './span.ts'
import { spansOfJson } from './span-json.ts'
import { spansOfProtobuf } from './span-protobuf.ts'
import { type Fate, type Tally, tallyOf } from './tally.ts'

/** The default batch size of OpenTelemetry SDKs. */
const SPANS_MAX = 512

/** The batch sizes of traces and intake (spec: evidence §3.3 and §4.1). */
const TRACES_AT_ONCE = 100
const CHECKPOINTS_AT_ONCE = 50

export type OtlpDeps = {
  agents: Agents
  checkpoints: Checkpoints
  traces: Traces
  /** Called after every request. */
  onTaken(tally: Tally): void
}

export type OtlpService = ReturnType<typeof createOtlpService>

/** The evidence of a span, and the span's index in the request. */
type Pending = { index: number; evidence: Evidence }

export function createOtlpService(deps: OtlpDeps) {
  return {
    /**
     * Ingests the spans of an instrumented agent through the same services as other evidence. With
     * `onlyAgent`, every other agent counts as unknown.
     */
    async take(
      org: Sender,
      request: Uint8Array | object,
      onlyAgent: string | undefined,
    ): Promise<Tally> {
      const spans = read(request)
      const { fates, pending } = await prepare(deps, org, { spans, onlyAgent })
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
    throw new Problem('invalid_request', `The request cannot be parsed: ${err.message}.`)
  }
}

async function prepare(
  deps: OtlpDeps,
  org: Org,
  { spans, onlyAgent }: { spans: readonly Span[]; onlyAgent: string | undefined },
): Promise<{ fates: Map<number, Fate>; pending: Pending[] }> {
  const fates = new Map<number, Fate>()
  const pending: Pending[] = []
  const readings = spans.map(readGenAiSpan)
  const known = await agentsOf(deps, org, readings)
  const agents = new Map([...known].filter(([, id]) => id === (onlyAgent ?? id)))
  let readSpans = 0
  readings.forEach((reading, index) => {
    const fate = settle(reading, readSpans, agents)
    if (reading.kind === 'read') readSpans += 1
    if ('evidence' in fate) pending.push({ index, evidence: fate.evidence })
    else fates.set(index, fate)
  })
  return { fates, pending }
}

function settle(
  reading: Reading,
  before: number,
  agents: ReadonlyMap<string, string>,
): Fate | { evidence: Evidence } {
  if (reading.kind === 'ignored') return { kind: 'ignored' }
  if (reading.kind === 'refused') return reject(reading.reason)
  if (before >= SPANS_MAX) {
    return reject(`a request can contain at most ${SPANS_MAX} GenAI spans; send smaller batches`)
  }
  const candidates = agentCandidates(reading.genai.span)
  const agentId = candidates.map((name) => agents.get(name)).find((id) => id !== undefined)
  if (agentId === undefined) return reject(unknownAgent(candidates))
  const made = evidenceOf(reading.genai, agentId)
  return made.ok ? { evidence: made.evidence } : reject(made.reason)
}

function reject(reason: string): Fate {
  return { kind: 'rejected', reason }
}

/** The registered ids of the organisation's agents, by the names that the spans give them. */
async function agentsOf(
  deps: OtlpDeps,
  org: Org,
  readings: readonly Reading[],
): Promise<ReadonlyMap<string, string>> {
  const spans = readings.flatMap((reading) => (reading.kind === 'read' ? [reading.genai.span] : []))
  const named = spans.slice(0, SPANS_MAX).flatMap(agentCandidates).filter(isAgentId)
  const names = [...new Set(named)]
  if (names.length === 0) return new Map()
  const ids = await deps.agents.registeredIds.find(names)
  const found = await deps.agents.forIngest(org.orgId, [...new Set(ids)])
  const own = new Set(found.map((agent) => agent.agentId))
  return new Map(
    names.flatMap((name, index) => {
      const id = ids[index] ?? name
      return own.has(id) ? [[name, id] as const] : []
    }),
  )
}

/**
 * Stores checkpoints before traces, because a trace links to its checkpoint
 * (spec: evidence §3.1). A span is accepted if both are stored; if only its checkpoint was, a retry
 * finds it as a duplicate.
 */
async function store(
  deps: OtlpDeps,
  org: Sender,
  pending: readonly Pending[],
  fates: Map<number, Fate>,
): Promise<void> {
  const known = new Set<number>()
  const submitted = pending.flatMap(({ index, evidence }) =>
    evidence.submission === undefined ? [] : [{ index, submission: evidence.submission }],
  )
  for (const batch of batches(submitted, CHECKPOINTS_AT_ONCE)) {
    const outcomes = await deps.checkpoints.ingestAll(
      org,
      batch.map(({ submission }) => submission),
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
      const before = one.evidence.submission === undefined || known.has(one.index)
      const repeated = outcome.status === 'duplicate' && before
      fates.set(one.index, { kind: repeated ? 'duplicate' : 'accepted' })
    })
  }
}

/**
 * A rate limit rejects the whole request, so that the exporter retries it later; spans that were
 * already stored are then duplicates.
 */
function reasonOf(problem: Problem): string {
  if (problem.code === 'rate_limited') throw problem
  return problem.message
}

function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
