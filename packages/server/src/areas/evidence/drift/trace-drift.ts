import { STREAK_MIN } from '@touchstone/protocol/bundle'
import { type Severity, SIMILARITY_MIN } from './alert.ts'

/** Trace drift: an agent's recent traces deviate from the first ones under the same card. */
export const TRACES_MAX = 500
const BASELINE_MIN = 3
const BASELINE_MAX = 10

/** The fields of a trace that are compared. */
export type DriftTrace = {
  traceId: string
  sessionId: string
  action: { type: string; category: string; name: string }
  valuesApplied: readonly string[]
  confidence: number | undefined
  escalation: { required: boolean; status: string | undefined } | undefined
  /** The flags of all alternatives. */
  flags: readonly string[]
}

/** A generator that yields the ids of traces to read and receives those traces. */
export type TraceReads<Answer> = Generator<readonly string[], Answer, readonly DriftTrace[]>

/** The last traces all deviate from the baseline. */
export type Strange = {
  state: 'strange'
  baselineIds: readonly string[]
  centroid: Features
  /** The similarity of the newest trace. */
  similarity: number
}

/** `mixed`: some of the last traces deviate, or there are too few traces. */
export type Survey = { state: 'mixed' | 'calm' } | Strange

/**
 * Compares the last traces with the baseline. Usually the baseline and the last three decide, so
 * nothing else is read; `trailBack` reads further for a streak.
 * `ids` are the last 500 of one card by (timestamp, trace_id), newest last.
 */
export function* surveyTraces(ids: readonly string[]): TraceReads<Survey> {
  const size = baselineSize(ids.length)
  if (ids.length < size + STREAK_MIN) return { state: 'mixed' }
  const baselineIds = ids.slice(0, size)
  const ends = yield [...baselineIds, ...ids.slice(-STREAK_MIN)]
  const centroid = centroidOf(ends.slice(0, size))
  const recent = ends.slice(size).map((trace) => cosine(featuresOf(trace), centroid))
  if (recent.every(isCalm)) return { state: 'calm' }
  if (recent.some(isCalm)) return { state: 'mixed' }
  return { state: 'strange', baselineIds, centroid, similarity: recent.at(-1) ?? 0 }
}

function isCalm(similarity: number): boolean {
  return similarity >= SIMILARITY_MIN
}

/** Traces that were found to deviate from that baseline. */
export type Judged = { baselineIds: readonly string[]; evidenceIds: readonly string[] }

/**
 * The unbroken streak of deviating traces at the end of `ids`. Traces are immutable, so those that
 * `known` compared with the same baseline are not read again, and a continuing streak costs no more
 * than a new one. In a full window the baseline moves with every trace; earlier results are kept
 * there, too, because otherwise each check would read the whole streak. The last three are always
 * compared, so that alerts still end. Each step back reads twice as many as the last.
 */
export function* trailBack(
  ids: readonly string[],
  { baselineIds, centroid }: Strange,
  known: readonly Judged[],
): TraceReads<readonly string[]> {
  const later = ids.slice(baselineIds.length)
  const strange = new Set(later.slice(-STREAK_MIN))
  const moving = ids.length >= TRACES_MAX
  for (const judged of known) {
    if (!(moving || areEqual(judged.baselineIds, baselineIds))) continue
    for (const id of judged.evidenceIds) strange.add(id)
  }
  const unread = later.filter((id) => !strange.has(id))
  let end = unread.length
  for (let width = STREAK_MIN; end > 0; width *= 2) {
    const start = Math.max(0, end - width)
    const seen = yield unread.slice(start, end)
    const calm = seen.findLast((trace) => isCalm(cosine(featuresOf(trace), centroid)))
    if (calm !== undefined) return later.slice(later.indexOf(calm.traceId) + 1)
    end = start
  }
  return later
}

function areEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, n) => id === other[n])
}

export function baselineSize(count: number): number {
  return Math.max(BASELINE_MIN, Math.min(BASELINE_MAX, Math.floor(count / 4)))
}

export type Features = ReadonlyMap<string, number>

export function featuresOf(trace: DriftTrace): Features {
  const features = new Map<string, number>()
  const { action, escalation } = trace
  features.set(`action:${action.type}`, 1)
  features.set(`category:${action.category}`, 1)
  features.set(`action_name:${action.name}`, 1)
  for (const value of trace.valuesApplied) features.set(`value:${value}`, 1)
  if (escalation !== undefined) {
    features.set(escalation.required ? 'escalation:required' : 'escalation:not_required', 1)
    if (escalation.status !== undefined) features.set(`escalation:${escalation.status}`, 1)
  }
  for (const flag of trace.flags) features.set(`flag:${flag}`, 1)
  if (trace.confidence !== undefined) features.set('confidence', trace.confidence)
  return features
}

export function centroidOf(traces: readonly DriftTrace[]): Features {
  const centroid = new Map<string, number>()
  for (const trace of traces) {
    for (const [feature, weight] of featuresOf(trace)) {
      centroid.set(feature, (centroid.get(feature) ?? 0) + weight)
    }
  }
  for (const [feature, sum] of centroid) centroid.set(feature, sum / traces.length)
  return centroid
}

/** Rounded to four decimals, so that all implementations agree at the threshold. */
export function cosine(one: Features, other: Features): number {
  let product = 0
  for (const [feature, weight] of one) product += weight * (other.get(feature) ?? 0)
  const length = Math.sqrt(squareOf(one) * squareOf(other))
  // Squares of tiny weights lose precision, so equal vectors may come out above 1.
  return length === 0 ? 0 : Math.min(1, Math.floor((product / length) * 10_000 + 0.5) / 10_000)
}

function squareOf(features: Features): number {
  let sum = 0
  for (const weight of features.values()) sum += weight * weight
  return sum
}

type Found = {
  baseline: readonly DriftTrace[]
  streak: readonly DriftTrace[]
  declared: readonly string[]
}

/** The fields announced when a streak becomes an alert. */
export type TraceDrift = { severity: Severity; direction: string; sessionId: string }

/** Session and severity are those of the third trace, which made the streak an alert. */
export function describeStreak(found: Found): TraceDrift | undefined {
  const third = found.streak[STREAK_MIN - 1]
  if (third === undefined) return undefined
  return {
    severity: severityOf(cosine(featuresOf(third), centroidOf(found.baseline))),
    direction: directionOf(found),
    sessionId: third.sessionId,
  }
}

function severityOf(similarity: number): Severity {
  if (similarity >= 0.21) return 'low'
  return similarity >= 0.12 ? 'medium' : 'high'
}

function directionOf({ baseline, streak: traces, declared }: Found): string {
  if (escalatesLess(baseline.slice(0, STREAK_MIN), traces.slice(-STREAK_MIN))) {
    return 'autonomy_expansion'
  }
  const applied = traces.flatMap((trace) => trace.valuesApplied)
  const undeclared = applied.filter((value) => !declared.includes(value)).length
  // In integers, because 0.3 has no exact double.
  if (undeclared * 10 > applied.length * 3) return 'value_drift'
  const confidence = traces.reduce((sum, trace) => sum + (trace.confidence ?? 1), 0)
  const unsure = confidence / traces.length < 0.5
  return declared.includes('principal_benefit') && unsure ? 'principal_misalignment' : 'unknown'
}

/**
 * Compares the first three with the last three, which never overlap: baseline and streak are at
 * least six. An escalation counts if it was required, not if it was merely considered.
 */
function escalatesLess(first: readonly DriftTrace[], last: readonly DriftTrace[]): boolean {
  const rate = (some: readonly DriftTrace[]) =>
    some.filter((trace) => trace.escalation?.required === true).length / some.length
  return rate(first) > 0.1 && rate(last) < rate(first) / 2
}
