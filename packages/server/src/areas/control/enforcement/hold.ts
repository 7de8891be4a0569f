/** 02 §5.1. */
const AGENT_HOLD_MS = 15 * 60_000

/** The most that can have arrived meanwhile: 600 a minute of one agent (01 §9). */
export const LOOKED_AT_MAX = 15 * 600

export type Newest = { verdict: string; createdAt: Date; cardGap: boolean }

/**
 * Whether the newest analysed checkpoint holds the agent: that of the session for good, that of the
 * agent for a while. Its age is since it came in, as agents say themselves when something was.
 */
export function isHold(
  newest: Newest | undefined,
  { ofSession, now }: { ofSession: boolean; now: Date },
): boolean {
  if (newest === undefined || newest.cardGap || newest.verdict !== 'boundary_violation') {
    return false
  }
  return ofSession || now.getTime() - newest.createdAt.getTime() <= AGENT_HOLD_MS
}
