import { STREAK_MIN } from '@touchstone/protocol/bundle'
import { type Severity, SIMILARITY_MIN } from './alert.ts'

/** Trace drift: an agent whose decisions no longer look like those it began its card with. */
export const TRACES_MAX = 500
const BASELINE_MIN = 3
const BASELINE_MAX = 10

/** What is compared of a trace. */
export type DriftTrace = {
  traceId: string
  sessionId: string
  action: { type: string; category: string; name: string }
  valuesApplied: readonly string[]
  confidence: number | undefined
  escalation: { required: boolean; status: string | undefined } | undefined
  /** Flags of all alternatives together. */
  flags: readonly string[]
}

/** Yields the ids of traces it wants to read, and is given those traces. */
export type Asking<Answer> = Generator<readonly string[], Answer, readonly DriftTrace[]>

/** The last traces are all unlike the baseline. */
export type Strange = {
  state: 'strange'
  baselineIds: readonly string[]
  centroid: Features
  /** Of the newest. */
  similarity: number
}

/** `mixed` says neither: the last ones differ, or there are too few. */
export type Survey = { state: 'mixed' | 'calm' } | Strange

/**
 * How the last traces stand to the first. Nearly always the baseline and the last three decide, so
 * nothing else is read; only a streak is followed further.
 * `ids`: the last 500 of one card by (timestamp, trace_id), the newest last.
 */
export function* surveyTraces(ids: readonly string[]): Asking<Survey> {
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

/** Traces once found unlike that baseline. */
export type Judged = { baselineIds: readonly string[]; evidenceIds: readonly string[] }

/**
 * The unbroken strange ones at the end of `ids`. Traces never change, so those that `known` found
 * unlike the very same baseline are not read again, and a streak that goes on costs no more than
 * one that begins. Of a full window the baseline moves with every trace; what was found strange is
 * left so there, or each look would read the whole streak. The last three are always measured, so
 * an alert ends as it should. Each look back is twice as wide as the last.
 */
export function* trailBack(
  ids: readonly string[],
  { baselineIds, centroid }: Strange,
  known: readonly Judged[],
): Asking<readonly string[]> {
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

/** To four decimals, so that every implementation draws the same line at the threshold. */
export function cosine(one: Features, other: Features): number {
  let product = 0
  for (const [feature, weight] of one) product += weight * (other.get(feature) ?? 0)
  const length = Math.sqrt(squareOf(one) * squareOf(other))
  // Squares of the smallest weights lose digits, and what is equal may seem more than that.
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

/** What is announced of a streak when it becomes an alert. */
export type TraceDrift = { severity: Severity; direction: string; sessionId: string }

/** The third trace of the streak is the one that made it an alert: its session, its severity. */
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
  // In whole numbers: 0.3 has no exact double.
  if (undeclared * 10 > applied.length * 3) return 'value_drift'
  const confidence = traces.reduce((sum, trace) => sum + (trace.confidence ?? 1), 0)
  const unsure = confidence / traces.length < 0.5
  return declared.includes('principal_benefit') && unsure ? 'principal_misalignment' : 'unknown'
}

/**
 * The first three against the last three, which are never the same ones: a baseline and a streak
 * make six. An escalation counts when it was required, not when it was merely considered.
 */
function escalatesLess(first: readonly DriftTrace[], last: readonly DriftTrace[]): boolean {
  const rate = (some: readonly DriftTrace[]) =>
    some.filter((trace) => trace.escalation?.required === true).length / some.length
  return rate(first) > 0.1 && rate(last) < rate(first) / 2
}
