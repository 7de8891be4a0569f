import type { DriftDecision, KnownAlert, Severity } from './integrity-drift.ts'

/** Trace drift: an agent whose decisions no longer look like those it began its card with. */
export const SIMILARITY_MIN = 0.3
const STREAK_MIN = 3
const BASELINE_MIN = 3
const BASELINE_MAX = 10

export type DriftTrace = {
  traceId: string
  sessionId: string
  action: { type: string; category: string; name: string }
  valuesApplied: readonly string[]
  confidence?: number
  escalation?: { required: boolean; status?: string }
  /** Flags of all alternatives together. */
  flags: readonly string[]
}

export type TraceDrift = {
  severity: Severity
  similarity: number
  threshold: number
  sustained: number
  direction: string
  sessionId: string
  traceIds: readonly string[]
  message: string
}

/** `traces`: the last 500 of one card by (timestamp, trace_id), the newest last. */
export function decideTraceDrift(
  traces: readonly DriftTrace[],
  declared: readonly string[],
  latest?: KnownAlert,
): DriftDecision<TraceDrift> {
  const measured = measure(traces)
  const lastCalm = measured.findLastIndex((one) => one.similarity >= SIMILARITY_MIN)
  const streak = measured.slice(lastCalm + 1)
  if (streak.length >= STREAK_MIN) {
    const traceIds = streak.map((one) => one.trace.traceId)
    const known = latest?.ids.some((id) => traceIds.includes(id)) ?? false
    if (known && latest?.status !== 'open') return { kind: 'none' }
    const drift = describe({ traces, streak, traceIds, declared })
    return { kind: known ? 'update' : 'open', drift }
  }
  const recent = measured.slice(-STREAK_MIN)
  const calm = recent.length === STREAK_MIN && streak.length === 0 && recent.every(isCalm)
  return { kind: calm && latest?.status === 'open' ? 'recover' : 'none' }
}

type Measured = { trace: DriftTrace; similarity: number }

function isCalm(one: Measured): boolean {
  return one.similarity >= SIMILARITY_MIN
}

/** Every trace after the baseline with its similarity to it; none while there are too few. */
function measure(traces: readonly DriftTrace[]): Measured[] {
  const size = baselineSize(traces.length)
  if (traces.length < size + STREAK_MIN) return []
  const centroid = centroidOf(traces.slice(0, size))
  return traces.slice(size).map((trace) => ({
    trace,
    similarity: cosine(featuresOf(trace), centroid),
  }))
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
  traces: readonly DriftTrace[]
  streak: readonly Measured[]
  traceIds: readonly string[]
  declared: readonly string[]
}

/** The third trace of the streak is the one that made it an alert: its session, its severity. */
function describe(found: Found): TraceDrift {
  const { streak, traceIds } = found
  const third = streak[STREAK_MIN - 1]
  return {
    severity: severityOf(third?.similarity ?? 0),
    similarity: streak.at(-1)?.similarity ?? 0,
    threshold: SIMILARITY_MIN,
    sustained: streak.length,
    direction: directionOf(found),
    sessionId: third?.trace.sessionId ?? '',
    traceIds,
    message: `${streak.length} consecutive traces resemble the baseline less than ${SIMILARITY_MIN}.`,
  }
}

function severityOf(similarity: number): Severity {
  if (similarity >= 0.21) return 'low'
  return similarity >= 0.12 ? 'medium' : 'high'
}

function directionOf({ traces, streak, declared }: Found): string {
  if (escalatesLess(traces)) return 'autonomy_expansion'
  const applied = streak.flatMap((one) => one.trace.valuesApplied)
  const undeclared = applied.filter((value) => !declared.includes(value)).length
  // In whole numbers: 0.3 has no exact double.
  if (undeclared * 10 > applied.length * 3) return 'value_drift'
  const confidence = streak.reduce((sum, one) => sum + (one.trace.confidence ?? 1), 0)
  const unsure = confidence / streak.length < 0.5
  return declared.includes('principal_benefit') && unsure ? 'principal_misalignment' : 'unknown'
}

/** An escalation counts when it was required, not when it was merely considered. */
function escalatesLess(traces: readonly DriftTrace[]): boolean {
  if (traces.length < 2 * STREAK_MIN) return false
  const rate = (some: readonly DriftTrace[]) =>
    some.filter((trace) => trace.escalation?.required === true).length / some.length
  const first = rate(traces.slice(0, STREAK_MIN))
  return first > 0.1 && rate(traces.slice(-STREAK_MIN)) < first / 2
}
