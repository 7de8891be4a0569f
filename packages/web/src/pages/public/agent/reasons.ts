/** Descriptions of reason codes; an unknown code is shown as is. */
export const REASONS: Readonly<Record<string, string>> = {
  LOW_INTEGRITY: 'Some checkpoints were not clear',
  RECENT_VIOLATIONS: 'Boundary violations in the last 90 days',
  UNSTABLE_SESSIONS: 'Drift within a session',
  MISSING_TRACES: 'Missing or unverified traces',
  LOW_COHERENCE: 'Values conflict with those of the agents it works with',
  LOW_NOVELTY: 'Many clear checkpoints repeat earlier ones or say nothing; costs no points',
  UNMEASURED_COHERENCE: 'No interaction with other agents yet, so a neutral default applies',
}
