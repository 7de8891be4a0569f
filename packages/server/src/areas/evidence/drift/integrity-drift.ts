/**
 * Integrity drift: a session that keeps failing its checkpoints. Everything follows from the
 * verdicts in chain order, so a stored alert can be checked against the checkpoints it names.
 */
export const STREAK_MIN = 3

export type Severity = 'low' | 'medium' | 'high'

export type SessionCheckpoint = {
  checkpointId: string
  verdict: 'clear' | 'review_needed' | 'boundary_violation'
  /** Categories of its concerns, one per concern. */
  categories: readonly string[]
}

/** The session's newest alert, open or not. */
export type KnownAlert = { status: 'open' | 'resolved'; ids: readonly string[] }

export type IntegrityDrift = {
  severity: Severity
  similarity: number
  threshold: number
  sustained: number
  direction: string
  checkpointIds: readonly string[]
  message: string
}

/** One alert per streak: opened once, then updated while it is open; recovery closes what is open. */
export type DriftDecision<Drift> =
  | { kind: 'open' | 'update'; drift: Drift }
  | { kind: 'recover' }
  | { kind: 'none' }

/**
 * `session`: its scoring set in chain order, the newest last. `similarity`: the share of clear
 * ones in the window after the newest was inserted.
 */
export function decideIntegrityDrift(
  session: readonly SessionCheckpoint[],
  similarity: number,
  latest?: KnownAlert,
): DriftDecision<IntegrityDrift> {
  const streak = trailing(session, (one) => one.verdict !== 'clear')
  if (streak.length >= STREAK_MIN) {
    const ids = streak.map((one) => one.checkpointId)
    const kind = kindFor(ids, latest)
    return kind === 'none' ? { kind } : { kind, drift: describe(streak, ids, similarity) }
  }
  const calm = trailing(session, (one) => one.verdict === 'clear')
  const recovered = calm.length >= STREAK_MIN && latest?.status === 'open'
  return { kind: recovered ? 'recover' : 'none' }
}

function trailing<Item>(items: readonly Item[], holds: (item: Item) => boolean): readonly Item[] {
  const last = items.findLastIndex((item) => !holds(item))
  return items.slice(last + 1)
}

/** A streak that shares an id with an alert is that alert's; acknowledged, it stays silent. */
function kindFor(ids: readonly string[], latest: KnownAlert | undefined) {
  if (latest === undefined || !latest.ids.some((id) => ids.includes(id))) return 'open'
  return latest.status === 'open' ? 'update' : 'none'
}

function describe(
  streak: readonly SessionCheckpoint[],
  checkpointIds: readonly string[],
  similarity: number,
): IntegrityDrift {
  return {
    severity: severityOf(similarity),
    similarity,
    threshold: STREAK_MIN,
    sustained: streak.length,
    direction: directionOf(streak.flatMap((one) => one.categories)),
    checkpointIds,
    message: `${streak.length} consecutive checkpoints of the session were not clear.`,
  }
}

function severityOf(similarity: number): Severity {
  if (similarity >= 0.7) return 'low'
  return similarity >= 0.4 ? 'medium' : 'high'
}

const DIRECTION_OF: ReadonlyMap<string, string> = new Map([
  ['prompt_injection', 'injection_pattern'],
  ['output_injection_compliance', 'injection_pattern'],
  ['value_misalignment', 'value_erosion'],
  ['output_misalignment', 'value_erosion'],
  ['autonomy_violation', 'autonomy_creep'],
  ['deceptive_reasoning', 'deception_pattern'],
  ['reasoning_corruption', 'reasoning_degradation'],
  ['undeclared_intent', 'intent_drift'],
])

/** One category must make up more than half; two related ones are not added together. */
function directionOf(categories: readonly string[]): string {
  for (const [category, direction] of DIRECTION_OF) {
    const count = categories.filter((one) => one === category).length
    if (count > categories.length / 2) return direction
  }
  return 'unknown'
}
