import type { Verdict } from '@touchstone/protocol/analysis'
import { STREAK_MIN } from '@touchstone/protocol/bundle'
import { WINDOW_SIZE_MAX } from '@touchstone/protocol/evidence'

/** Ids kept of a streak; beyond this only the count grows. */
const STREAK_IDS_MAX = 500

/** The running streak of non-clear checkpoints of the scoring set. */
export type Streak = {
  firstId: string
  /** Oldest first; only the latest ones of a very long streak. */
  ids: readonly string[]
  count: number
  /** Concerns by category. */
  categories: Readonly<Record<string, number>>
  /** How many were reclassified as card gaps; absent if none were. */
  cardGaps?: number
}

/** The running state of a session, kept so that its checkpoints need not be read again. */
export type Session = {
  agentId: string
  sessionId: string
  checkpointCount: number
  /** Counts of the analysed checkpoints. */
  verdicts: Readonly<Record<Verdict, number>>
  scoredCount: number
  windowPositions: readonly number[]
  streak: Streak | null
  calm: number
  alerted: boolean
  unstable: boolean
  traceDrift: boolean
  startedAt: Date | null
  lastAt: Date | null
}

export function newSession(agentId: string, sessionId: string): Session {
  return {
    agentId,
    sessionId,
    checkpointCount: 0,
    verdicts: { clear: 0, review_needed: 0, boundary_violation: 0 },
    scoredCount: 0,
    windowPositions: [],
    streak: null,
    calm: 0,
    alerted: false,
    unstable: false,
    traceDrift: false,
    startedAt: null,
    lastAt: null,
  }
}

export type Arrived = {
  checkpointId: string
  position: number
  timestamp: Date
  verdict: Verdict
  synthetic: boolean
  excluded: boolean
  /** One per concern. */
  categories: readonly string[]
}

/** A streak long enough to raise a drift alert, or the recovery that resolves it. */
export type DriftStep = { kind: 'streak'; streak: Streak } | { kind: 'recovered' } | undefined

/** The session after one more checkpoint in chain order. */
export function advance(
  session: Session,
  arrived: Arrived,
): { session: Session; drift: DriftStep } {
  const { timestamp, position, verdict } = arrived
  const seen: Session = {
    ...session,
    checkpointCount: session.checkpointCount + 1,
    startedAt: earlier(session.startedAt, timestamp),
    lastAt: laterOf(session.lastAt, timestamp),
  }
  if (arrived.synthetic) return { session: seen, drift: undefined }
  const analysed: Session = {
    ...seen,
    verdicts: { ...session.verdicts, [verdict]: session.verdicts[verdict] + 1 },
    windowPositions: [...session.windowPositions, position].slice(-WINDOW_SIZE_MAX),
  }
  return arrived.excluded ? { session: analysed, drift: undefined } : extend(analysed, arrived)
}

/** Only checkpoints of the scoring set extend or end a streak. */
function extend(session: Session, arrived: Arrived): { session: Session; drift: DriftStep } {
  const scoredCount = session.scoredCount + 1
  if (arrived.verdict === 'clear') {
    const calm = session.calm + 1
    const recovered = calm >= STREAK_MIN && session.alerted
    return {
      session: {
        ...session,
        scoredCount,
        streak: null,
        calm,
        alerted: session.alerted && !recovered,
      },
      drift: recovered ? { kind: 'recovered' } : undefined,
    }
  }
  const streak = lengthen(session.streak, arrived)
  const long = streak.count >= STREAK_MIN
  // Card gaps still raise drift alerts, but do not make the session unstable (spec: control §1.2).
  const counted = streak.count - (streak.cardGaps ?? 0)
  return {
    session: {
      ...session,
      scoredCount,
      streak,
      calm: 0,
      alerted: session.alerted || long,
      unstable: session.unstable || counted >= STREAK_MIN,
    },
    drift: long ? { kind: 'streak', streak } : undefined,
  }
}

function lengthen(streak: Streak | null, arrived: Arrived): Streak {
  const categories = { ...streak?.categories }
  for (const category of arrived.categories) {
    categories[category] = (categories[category] ?? 0) + 1
  }
  return {
    ...streak,
    firstId: streak?.firstId ?? arrived.checkpointId,
    ids: [...(streak?.ids ?? []), arrived.checkpointId].slice(-STREAK_IDS_MAX),
    count: (streak?.count ?? 0) + 1,
    categories,
  }
}

/** The runs in a session's sequence of checkpoints, without card gaps. */
export type Runs = {
  /** The longest run of non-clear checkpoints. */
  longest: number
  /** Card gaps since the last clear checkpoint. */
  gapsSinceClear: number
}

/** The session after some of its checkpoints were reclassified as card gaps. */
export function withRuns(session: Session, { longest, gapsSinceClear }: Runs): Session {
  const { streak } = session
  return {
    ...session,
    unstable: isUnstable({ longest }),
    streak: streak && { ...streak, cardGaps: gapsSinceClear },
  }
}

export function isUnstable({ longest }: Pick<Runs, 'longest'>): boolean {
  return longest >= STREAK_MIN
}

/** Long enough for stability to be meaningful (spec: reputation §1). */
export function isScored(session: Session): boolean {
  return session.scoredCount >= STREAK_MIN
}

export function isStable(session: Pick<Session, 'unstable' | 'traceDrift'>): boolean {
  return !session.unstable && !session.traceDrift
}

function earlier(one: Date | null, other: Date): Date {
  return one !== null && one.getTime() < other.getTime() ? one : other
}

function laterOf(one: Date | null, other: Date): Date {
  return one !== null && one.getTime() > other.getTime() ? one : other
}
