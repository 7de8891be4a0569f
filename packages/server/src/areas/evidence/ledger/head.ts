import type { Verdict } from '@touchstone/protocol/analysis'
import { bytesToHex } from '@touchstone/protocol/base'
import { type AnalysedHour, hourAfter } from '@touchstone/protocol/evidence'
import { rootFromEdge } from '@touchstone/protocol/merkle'
import { isScored, isStable, type Session } from './session.ts'

/** Timestamps kept to detect uniform timing. */
const RECENT_MAX = 10

/** The end of an agent's chain and tree, and the counts of its checkpoints. */
export type Head = {
  agentId: string
  length: number
  chainHash: string | null
  leafCount: number
  /** Roots of the complete subtrees, left to right. */
  edge: readonly Uint8Array[]
  /** Times of the last analysed checkpoints in chain order, newest last. */
  recentAt: readonly Date[]
  counts: Counts
  latestVerdict: Verdict | null
  leafAt: Date | null
  hour: AnalysedHour | null
  /** The agent is archived. */
  closed: boolean
}

export type Counts = {
  /** Counts of the scoring set (spec: evidence §4.6). */
  verdicts: Readonly<Record<Verdict, number>>
  excluded: number
  sessions: number
  sessionsScored: number
  sessionsUnstable: number
}

type Arrived = { verdict: Verdict; timestamp: Date; synthetic: boolean; excluded: boolean }

/** The counts after one more checkpoint. Sealing it advances chain and tree. */
export function countIn(
  head: Head,
  arrived: Arrived,
  session: { before: Session; after: Session },
  now: Date,
): Head {
  const counts = withSession(head.counts, session)
  if (arrived.synthetic) return { ...head, counts }
  const recentAt = [...head.recentAt, arrived.timestamp].slice(-RECENT_MAX)
  const hour = hourAfter(head.hour, now)
  if (arrived.excluded) {
    const more = { ...counts, excluded: counts.excluded + 1 }
    return { ...head, recentAt, hour, leafAt: now, counts: more }
  }
  const verdicts = { ...counts.verdicts }
  verdicts[arrived.verdict] += 1
  const { verdict: latestVerdict } = arrived
  return { ...head, recentAt, hour, leafAt: now, counts: { ...counts, verdicts }, latestVerdict }
}

export function withSession(
  counts: Counts,
  { before, after }: { before: Session; after: Session },
): Counts {
  const change = (matches: (session: Session) => boolean) =>
    Number(matches(after)) - Number(matches(before))
  return {
    ...counts,
    sessions: counts.sessions + change((session) => session.checkpointCount > 0),
    sessionsScored: counts.sessionsScored + change(isScored),
    sessionsUnstable:
      counts.sessionsUnstable + change((session) => isScored(session) && !isStable(session)),
  }
}

export function scoringSetSize({ verdicts }: Counts): number {
  return verdicts.clear + verdicts.review_needed + verdicts.boundary_violation
}

const HASH_BYTES = 32

/** Splits the stored edge, which is a concatenation of hashes. */
export function edgeOf(bytes: Uint8Array): Uint8Array[] {
  const edge: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += HASH_BYTES) {
    edge.push(bytes.subarray(at, at + HASH_BYTES))
  }
  return edge
}

/** The hex root over all leaves. */
export function rootOf({ leafCount, edge }: Pick<Head, 'leafCount' | 'edge'>): string {
  return bytesToHex(rootFromEdge(leafCount, edge))
}
