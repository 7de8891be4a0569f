import type { Verdict } from '../analysis/concern.ts'

/** The window holds a session's most recent analysed checkpoints (spec: evidence §4.5). */
export const WINDOW_SIZE_MAX = 10
const WINDOW_AGE_MS_MAX = 3_600_000

export type WindowEntry = {
  checkpointId: string
  timestamp: Date
  verdict: Verdict
  reasoningSummary: string
}

export type WindowContext = readonly {
  checkpoint_id: string
  verdict: Verdict
  reasoning_summary: string
}[]

/**
 * The window just before a submission arrives. `earlier` are the session's last ten analysed
 * checkpoints in chain order, oldest first, so anyone can rebuild the window from stored checkpoints.
 */
export function windowBefore<Entry extends Pick<WindowEntry, 'timestamp'>>(
  earlier: readonly Entry[],
  arriving: Date,
): Entry[] {
  const oldest = arriving.getTime() - WINDOW_AGE_MS_MAX
  return earlier.filter((entry) => entry.timestamp.getTime() >= oldest).slice(-WINDOW_SIZE_MAX)
}

/** The window including the new checkpoint, which is last in chain order whatever its timestamp. */
export function windowAfter<Entry extends Pick<WindowEntry, 'timestamp'>>(
  earlier: readonly Entry[],
  arriving: Entry,
): Entry[] {
  const before = windowBefore(earlier, arriving.timestamp)
  return [...before, arriving].slice(-WINDOW_SIZE_MAX)
}

export function windowPosition(window: readonly unknown[]): { index: number; window_size: number } {
  return { index: window.length - 1, window_size: window.length }
}

/** The record commits to the hash of this, so its field names are part of the protocol. */
export function windowContext(before: readonly WindowEntry[]): WindowContext {
  return before.map(({ checkpointId, verdict, reasoningSummary }) => ({
    checkpoint_id: checkpointId,
    verdict,
    reasoning_summary: reasoningSummary,
  }))
}

export type WindowSummary = {
  size: number
  maxSize: number
  verdicts: Record<Verdict, number>
  integrityRatio: number
}

export function summariseWindow(window: readonly Pick<WindowEntry, 'verdict'>[]): WindowSummary {
  const verdicts = { clear: 0, review_needed: 0, boundary_violation: 0 }
  for (const { verdict } of window) verdicts[verdict] += 1
  return {
    size: window.length,
    maxSize: WINDOW_SIZE_MAX,
    verdicts,
    integrityRatio: window.length === 0 ? 1 : verdicts.clear / window.length,
  }
}
