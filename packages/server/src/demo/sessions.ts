import type { Part, Phase } from './cast.ts'

/**
 * clear: unproblematic; stray: to be reviewed for its text; outside: for an action that the card does
 * not grant; crossing: a boundary violation.
 */
export type Kind = 'clear' | 'stray' | 'outside' | 'crossing'

export type Task = { at: Date; kind: Kind; traced: boolean; number: number }

export type Session = { part: Part; sessionId: string; tasks: readonly Task[]; end: Date }

export const WEEKS = 12
const HOUR_MS = 3_600_000
const WEEK_MS = 7 * 24 * HOUR_MS

/**
 * Sunday 00:00 UTC, the start of a week of scores (spec: reputation §2); the epoch was a
 * Thursday.
 */
export function weekStart(at: Date): Date {
  const since = (at.getTime() + 4 * 24 * HOUR_MS) % WEEK_MS
  return new Date(at.getTime() - since)
}

/** The first of the twelve weeks that end with the current one. */
export function firstWeek(now: Date): Date {
  return new Date(weekStart(now).getTime() - (WEEKS - 1) * WEEK_MS)
}

/** A seeded generator: the same numbers at every start. */
export type Random = () => number

export function seededRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const TASKS_PER_SESSION = 6
/** Sessions start and end within their week. */
const MARGIN_MS = 2 * HOUR_MS

/** All sessions of an agent up to now, in order of time. */
export function sessionsOf(part: Part, now: Date, seed: number): Session[] {
  const random = seededRandom(seed)
  const first = firstWeek(now).getTime()
  const isUnstable = spread()
  const needsReview = spread()
  const usual = Array.from({ length: WEEKS }, (_, week) => week).flatMap((week) => {
    const phase = phaseOf(part.phases, week)
    if (phase === undefined) return []
    const begins = first + week * WEEK_MS
    const lasts = Math.min(WEEK_MS, now.getTime() - begins)
    const count = Math.round((phase.sessionsPerWeek * lasts) / WEEK_MS)
    return Array.from({ length: count }, (_, place) => {
      const room = (lasts - 2 * MARGIN_MS) / count
      const at = begins + MARGIN_MS + (place + random() * 0.8) * room
      return { at, kinds: kindsOf(isUnstable(phase.unstableShare), needsReview, phase) }
    })
  })
  const crossed = part.crossings.map((weeksAgo) => ({
    at: now.getTime() - weeksAgo * WEEK_MS,
    kinds: ['clear', 'crossing', 'clear'] as const,
  }))
  const all = [...usual, ...crossed].sort((one, other) => one.at - other.at)
  return toSessions(part, all, random)
}

function phaseOf(phases: readonly Phase[], week: number): Phase | undefined {
  return phases.findLast((phase) => phase.week <= week)
}

/** True for exactly that share of the calls, evenly spread. */
function spread(): (share: number) => boolean {
  let sum = 0
  return (share) => {
    sum += share
    if (sum < 1) return false
    sum -= 1
    return true
  }
}

/** Three consecutive checkpoints that are not clear make a session unstable (spec: reputation §1). */
function kindsOf(
  isUnstable: boolean,
  needsReview: ReturnType<typeof spread>,
  phase: Phase,
): readonly Kind[] {
  if (!isUnstable) {
    const second = needsReview(phase.reviewShare) ? 'outside' : 'clear'
    return ['clear', second, ...Array<Kind>(TASKS_PER_SESSION - 2).fill('clear')]
  }
  const last = phase.unstableShare > 0.9 ? 'stray' : 'clear'
  return ['clear', 'stray', 'outside', 'stray', 'stray', last]
}

type Planned = { at: number; kinds: readonly Kind[] }

function toSessions(part: Part, all: readonly Planned[], random: Random): Session[] {
  const traced = spread()
  let number = 0
  return all.map(({ at, kinds }, place) => {
    let time = at
    const tasks = kinds.map((kind): Task => {
      time += 30_000 + Math.floor(random() * 240_000)
      number += 1
      return { at: new Date(time), kind, traced: traced(part.traced), number }
    })
    return { part, sessionId: `${part.id}-s${place + 1}`, tasks, end: new Date(time) }
  })
}
