import { Problem } from '../../../kernel/problem.ts'
import { agentCandidates, isAgentId, unknownAgent } from './agent-name.ts'
import { type Evidence, evidenceOf, loggedEvidenceOf } from './evidence.ts'
import { type Reading, readGenAiSpan } from './genai-span.ts'
import { logsOfJson } from './log-json.ts'
import { logsOfProtobuf } from './log-protobuf.ts'
import { readLogRecords } from './log-record.ts'
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

/** The content of an export request. */
export type Signal = 'spans' | 'logs'

/** The sender of a request. With `onlyAgent`, every other agent counts as unknown. */
export type Export = { org: Sender; onlyAgent: string | undefined }

export type OtlpDeps = {
  agents: Agents
  checkpoints: Checkpoints
  traces: Traces
  /** Called after every request. */
  onTaken(signal: Signal, tally: Tally): void
}

export type OtlpService = ReturnType<typeof createOtlpService>

/** The evidence of a span, and the span's index in the request. */
type Pending = { index: number; evidence: Evidence }

export function createOtlpService(deps: OtlpDeps) {
  const ingest = async (signal: Signal, spans: readonly Span[], sent: Export) => {
    const { fates, pending } = await prepare(deps, sent, { signal, spans })
    await store(deps, sent.org, pending, fates)
    return fates
  }
  return {
    /** Ingests the spans of an instrumented agent through the same services as other evidence. */
    async takeSpans(request: Uint8Array | object, sent: Export): Promise<Tally> {
      const spans = read(request, spansOfProtobuf, spansOfJson)
      const fates = await ingest('spans', spans, sent)
      const tally = tallyOf([...fates.values()], 'span')
      deps.onTaken('spans', tally)
      return tally
    },

    /** Ingests the content of model calls that is recorded in log records instead of spans. */
    async takeLogs(request: Uint8Array | object, sent: Export): Promise<Tally> {
      const { calls, ignored } = readLogRecords(read(request, logsOfProtobuf, logsOfJson))
      const fates = await ingest(
        'logs',
        calls.map(({ span }) => span),
        sent,
      )
      const ofRecords = calls.flatMap(({ records }, index) => {
        const fate = fates.get(index)
        return fate === undefined ? [] : records.map(() => fate)
      })
      const unread = [...ignored.values()].map((reason): Fate => ({ kind: 'ignored', reason }))
      const tally = tallyOf([...ofRecords, ...unread], 'log record')
      deps.onTaken('logs', tally)
      return tally
    },
  }
}

function read<T>(
  request: Uint8Array | object,
  ofProtobuf: (request: Uint8Array) => T,
  ofJson: (request: unknown) => T,
): T {
  try {
    return request instanceof Uint8Array ? ofProtobuf(request) : ofJson(request)
  } catch (err) {
    if (!(err instanceof MalformedRequest)) throw err
    throw new Problem('invalid_request', `The request cannot be parsed: ${err.message}.`)
  }
}

async function prepare(
  deps: OtlpDeps,
  { org, onlyAgent }: Export,
  { signal, spans }: { signal: Signal; spans: readonly Span[] },
): Promise<{ fates: Map<number, Fate>; pending: Pending[] }> {
  const fates = new Map<number, Fate>()
  const pending: Pending[] = []
  const readings = spans.map(readGenAiSpan)
  const known = await agentsOf(deps, org, readings)
  const agents = new Map([...known].filter(([, id]) => id === (onlyAgent ?? id)))
  let readSpans = 0
  readings.forEach((reading, index) => {
    const fate = settle(reading, agents, { signal, before: readSpans })
    if (reading.kind === 'read') readSpans += 1
    if ('evidence' in fate) pending.push({ index, evidence: fate.evidence })
    else fates.set(index, fate)
  })
  return { fates, pending }
}

function settle(
  reading: Reading,
  agents: ReadonlyMap<string, string>,
  { signal, before }: { signal: Signal; before: number },
): Fate | { evidence: Evidence } {
  if (reading.kind === 'ignored') return reading
  if (reading.kind === 'refused') return reject(reading.reason)
  if (before >= SPANS_MAX) {
    return reject(`a request can contain at most ${SPANS_MAX} GenAI calls; send smaller batches`)
  }
  const candidates = agentCandidates(reading.genai.span)
  const agentId = candidates.map((name) => agents.get(name)).find((id) => id !== undefined)
  if (agentId === undefined) return reject(unknownAgent(candidates))
  const made = (signal === 'spans' ? evidenceOf : loggedEvidenceOf)(reading.genai, agentId)
  if (made === undefined) return { kind: 'ignored', reason: 'no output of a model' }
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
  const rest = pending.filter(({ index }) => !fates.has(index))
  const traced = rest.flatMap(({ index, evidence: { trace, submission } }) => {
    const isKnown = submission === undefined || known.has(index)
    if (trace !== undefined) return [{ index, trace, submission, isKnown }]
    fates.set(index, { kind: isKnown ? 'duplicate' : 'accepted', bare: false })
    return []
  })
  for (const batch of batches(traced, TRACES_AT_ONCE)) {
    const outcomes = await deps.traces.ingestAll(
      org,
      batch.map(({ trace }) => trace),
    )
    outcomes.forEach((outcome, at) => {
      const one = batch[at]
      if (one === undefined) return
      if (outcome.status === 'rejected') {
        fates.set(one.index, reject(reasonOf(outcome.problem)))
        return
      }
      const repeated = outcome.status === 'duplicate' && one.isKnown
      const bare = one.submission === undefined && one.trace.action.type === 'recommend'
      fates.set(one.index, { kind: repeated ? 'duplicate' : 'accepted', bare })
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
