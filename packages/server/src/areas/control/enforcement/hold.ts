/** spec: control §2.1. */
const AGENT_HOLD_MS = 15 * 60_000

/**
 * The most checkpoints that can arrive during a hold: 600 a minute per agent (spec: evidence
 * §8).
 */
export const LOOKED_AT_MAX = 15 * 600

export type Newest = { verdict: string; createdAt: Date; cardGap: boolean }

/**
 * Whether the newest analysed checkpoint holds the agent: one of the session does so
 * indefinitely, one of the agent for a limited time. The age is measured from arrival, because
 * agents choose their own timestamps.
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
