import type { Verdict } from '@touchstone/protocol/analysis'
import { STREAK_MIN } from '@touchstone/protocol/bundle'
import { WINDOW_SIZE_MAX } from '@touchstone/protocol/evidence'

/** More ids say nothing new; the count goes on. */
const STREAK_IDS_MAX = 500

/** The running streak of non-clear checkpoints of the scoring set. */
export type Streak = {
  firstId: string
  /** Oldest first, the latest ones of a very long streak. */
  ids: readonly string[]
  count: number
  /** Concerns by category. */
  categories: Readonly<Record<string, number>>
  /** How many of them turned out to be gaps of the card; absent when none did. */
  cardGaps?: number
}

/** What is known of a session without reading its checkpoints again. */
export type Session = {
  agentId: string
  sessionId: string
  checkpointCount: number
  /** Of the analysed ones. */
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

/** A streak long enough to be told of, or the end of the trouble it told of. */
export type DriftStep = { kind: 'streak'; streak: Streak } | { kind: 'recovered' } | undefined

/** One more checkpoint of the session, in chain order. */
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
  return arrived.excluded ? { session: analysed, drift: undefined } : follow(analysed, arrived)
}

/** Only the scoring set makes or breaks a streak. */
function follow(session: Session, arrived: Arrived): { session: Session; drift: DriftStep } {
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
  // Gaps of the card are told of as drift, but do not make the session unstable (02 §4.2).
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

/** What of a session's sequence is left when gaps of the card are not in it. */
export type Runs = {
  /** The most non-clear ones in a row. */
  longest: number
  /** Gaps of the card since the last clear one. */
  gapsSinceClear: number
}

/** The same session after some of its checkpoints turned out to be gaps of the card. */
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

/** Long enough for stability to mean something (01 §7.1). */
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
