import {
  type GamingFlag,
  gamingFlagsOf,
  TWIN_AGE_MS_MAX,
  TWINS_MIN,
} from '../evidence/anti-gaming.ts'
import { type Violation, violationsInWindow } from '../score/compliance.ts'
import type { ScoreInput } from '../score/score-input.ts'

/**
 * The minimum number of checkpoints for a session to count, or in a row to be unstable (spec:
 * reputation §1).
 */
export const STREAK_MIN = 3
/** How far back the uniform timing check looks. */
const RECENT_MAX = 10

export type CountedCheckpoint = {
  checkpointId: string
  sessionId: string
  timestampMs: number
  verdict: string
  synthetic: boolean
  excluded: boolean
  /** Reclassified: the card was wrong, not the agent. */
  cardGap: boolean
  /** See contentKeyOf. */
  contentKey: string
}

type SessionCount = { scored: number; streak: number; unstable: boolean }

/**
 * Recounts an agent's checkpoints from the start, one by one in chain order, as the score at that
 * time counts them. This verifies figures that a service maintains incrementally.
 */
export function createRecount(atMs: number) {
  const sessions = new Map<string, SessionCount>()
  const checkpoints = { scored: 0, clear: 0, excluded: 0 }
  const twins = createTwins()
  let recent: readonly Date[] = []
  const violations: Violation[] = []

  const score = (one: CountedCheckpoint) => {
    checkpoints.scored += 1
    if (one.verdict === 'clear') checkpoints.clear += 1
    if (one.verdict === 'boundary_violation') {
      const { sessionId, timestampMs, cardGap } = one
      violations.push(...violationsInWindow([{ sessionId, timestampMs, cardGap }], atMs))
    }
    sessions.set(one.sessionId, follow(sessions.get(one.sessionId), one))
  }

  return {
    /** Adds a checkpoint and returns the gaming flags it must have, given those before it. */
    add(one: CountedCheckpoint): GamingFlag[] {
      if (one.synthetic) return []
      const timestamp = new Date(one.timestampMs)
      const near = twins.near(one)
      const flags = gamingFlagsOf({ timestamp, previous: recent, twins: near })
      recent = [...recent, timestamp].slice(-RECENT_MAX)
      twins.add(one)
      if (one.excluded) checkpoints.excluded += 1
      else score(one)
      return flags
    },

    counts(
      driftedSessions: ReadonlySet<string>,
    ): Pick<ScoreInput, 'checkpoints' | 'sessions' | 'violations'> {
      const long = [...sessions].filter(([, session]) => session.scored >= STREAK_MIN)
      const unstable = long.filter(([id, session]) => session.unstable || driftedSessions.has(id))
      return {
        checkpoints: { ...checkpoints },
        sessions: { total: long.length, unstable: unstable.length },
        violations,
      }
    },
  }
}

/** A card gap is in the scoring set, but neither starts nor breaks a streak. */
function follow(
  { scored, streak, unstable }: SessionCount = { scored: 0, streak: 0, unstable: false },
  { verdict, cardGap }: CountedCheckpoint,
): SessionCount {
  if (cardGap) return { scored: scored + 1, streak, unstable }
  const now = verdict === 'clear' ? 0 : streak + 1
  return { scored: scored + 1, streak: now, unstable: unstable || now >= STREAK_MIN }
}

type Content = Pick<CountedCheckpoint, 'contentKey' | 'timestampMs'>

/**
 * Indexed by day, so that an agent that repeats itself for years is not searched in full for each
 * checkpoint.
 */
function createTwins() {
  const byDay = new Map<string, Date[]>()
  const bucket = (contentKey: string, day: number) => `${contentKey} ${day}`
  const dayOf = (timestampMs: number) => Math.floor(timestampMs / TWIN_AGE_MS_MAX)
  return {
    /** Enough twins to decide: all those of the same day are near. */
    near({ contentKey, timestampMs }: Content): Date[] {
      const day = dayOf(timestampMs)
      const same = byDay.get(bucket(contentKey, day)) ?? []
      if (same.length >= TWINS_MIN) return same.slice(0, TWINS_MIN)
      const beside = [day - 1, day + 1].flatMap((one) => byDay.get(bucket(contentKey, one)) ?? [])
      return [...same, ...beside]
    },
    add({ contentKey, timestampMs }: Content): void {
      const key = bucket(contentKey, dayOf(timestampMs))
      const known = byDay.get(key)
      if (known === undefined) byDay.set(key, [new Date(timestampMs)])
      else known.push(new Date(timestampMs))
    },
  }
}
