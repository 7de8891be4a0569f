export const CONTAINMENT_STATUSES = ['active', 'paused', 'killed'] as const

export type ContainmentStatus = (typeof CONTAINMENT_STATUSES)[number]

/**
 * For each action: allowed statuses, resulting status, event and audit action (spec: control
 * §2.2).
 */
const MOVES = {
  pause: { from: ['active'], to: 'paused', event: 'agent.paused', recorded: 'agent.paused' },
  auto_pause: { from: ['active'], to: 'paused', event: 'agent.paused', recorded: 'agent.paused' },
  resume: { from: ['paused'], to: 'active', event: 'agent.resumed', recorded: 'agent.resumed' },
  kill: {
    from: ['active', 'paused'],
    to: 'killed',
    event: 'agent.killed',
    recorded: 'agent.killed',
  },
  reactivate: {
    from: ['killed'],
    to: 'active',
    event: 'agent.resumed',
    recorded: 'agent.reactivated',
  },
} as const satisfies Record<
  string,
  { from: readonly ContainmentStatus[]; to: ContainmentStatus; event: string; recorded: string }
>

export type ContainmentAction = keyof typeof MOVES

export const CONTAINMENT_ACTIONS = [
  'pause',
  'auto_pause',
  'resume',
  'kill',
  'reactivate',
] as const satisfies readonly ContainmentAction[]

export type ContainmentMove = (typeof MOVES)[ContainmentAction]

/** Undefined if the status does not allow the action. */
export function moveFrom(
  status: ContainmentStatus,
  action: ContainmentAction,
): ContainmentMove | undefined {
  const move = MOVES[action]
  return move.from.some((from) => from === status) ? move : undefined
}

/**
 * The length of the run of violations at the first checkpoint that brings it to the threshold,
 * or undefined if none does. `before` is the length of the run preceding these checkpoints.
 */
export function runAtThreshold(
  before: number,
  verdicts: readonly string[],
  threshold: number,
): number | undefined {
  let run = before
  for (const verdict of verdicts) {
    run = verdict === 'boundary_violation' ? run + 1 : 0
    if (run >= threshold) return run
  }
  return undefined
}

export function autoPauseReason(run: number): string {
  return `Auto-contained: ${run} consecutive boundary violations`
}
