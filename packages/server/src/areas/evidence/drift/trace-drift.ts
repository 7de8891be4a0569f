import { type Severity, SIMILARITY_MIN, STREAK_MIN } from './alert.ts'

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

export type TraceDrift = {
  severity: Severity
  similarity: number
  sustained: number
  direction: string
  sessionId: string
  traceIds: readonly string[]
}

/** `mixed` says neither: the last ones differ, or there are too few. */
export type Survey = { state: 'mixed' | 'calm' } | { state: 'drifting'; drift: TraceDrift }

/**
 * How the last traces stand to the first. It is given ids alone and yields those it wants to read,
 * because nearly always the baseline and the last three decide; only a streak is followed further.
 * `ids`: the last 500 of one card by (timestamp, trace_id), the newest last.
 */
export function* surveyTraces(
  ids: readonly string[],
  declared: readonly string[],
): Generator<readonly string[], Survey, readonly DriftTrace[]> {
  const size = baselineSize(ids.length)
  if (ids.length < size + STREAK_MIN) return { state: 'mixed' }
  const ends = yield [...ids.slice(0, size), ...ids.slice(-STREAK_MIN)]
  const baseline = ends.slice(0, size)
  const centroid = centroidOf(baseline)
  const measure = (trace: DriftTrace): Measured => ({
    trace,
    similarity: cosine(featuresOf(trace), centroid),
  })
  const recent = ends.slice(size).map(measure)
  if (recent.every(isCalm)) return { state: 'calm' }
  if (recent.some(isCalm)) return { state: 'mixed' }
  const later = ids.slice(size, -STREAK_MIN)
  const streak = [...(yield* trailBack(later, measure)), ...recent]
  return { state: 'drifting', drift: describe({ baseline, streak, declared }) }
}

type Measured = { trace: DriftTrace; similarity: number }

function isCalm(one: Measured): boolean {
  return one.similarity >= SIMILARITY_MIN
}

/** The unbroken strange ones at the end of `ids`; each look back is twice as wide as the last. */
function* trailBack(
  ids: readonly string[],
  measure: (trace: DriftTrace) => Measured,
): Generator<readonly string[], Measured[], readonly DriftTrace[]> {
  let streak: Measured[] = []
  let end = ids.length
  for (let width = STREAK_MIN; end > 0; width *= 2) {
    const start = Math.max(0, end - width)
    const seen = (yield ids.slice(start, end)).map(measure)
    const lastCalm = seen.findLastIndex(isCalm)
    streak = [...seen.slice(lastCalm + 1), ...streak]
    if (lastCalm >= 0) break
    end = start
  }
  return streak
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
  return length === 0 ? 0 : Math.floor((product / length) * 10_000 + 0.5) / 10_000
}

function squareOf(features: Features): number {
  let sum = 0
  for (const weight of features.values()) sum += weight * weight
  return sum
}

type Found = {
  baseline: readonly DriftTrace[]
  streak: readonly Measured[]
  declared: readonly string[]
}

/** The third trace of the streak is the one that made it an alert: its session, its severity. */
function describe(found: Found): TraceDrift {
  const { streak } = found
  const third = streak[STREAK_MIN - 1]
  return {
    severity: severityOf(third?.similarity ?? 0),
    similarity: streak.at(-1)?.similarity ?? 0,
    sustained: streak.length,
    direction: directionOf(found),
    sessionId: third?.trace.sessionId ?? '',
    traceIds: streak.map((one) => one.trace.traceId),
  }
}

function severityOf(similarity: number): Severity {
  if (similarity >= 0.21) return 'low'
  return similarity >= 0.12 ? 'medium' : 'high'
}

function directionOf({ baseline, streak, declared }: Found): string {
  const traces = streak.map((one) => one.trace)
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
