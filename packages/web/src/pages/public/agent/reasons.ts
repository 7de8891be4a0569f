/** Reason codes in words; one that is not here is shown as it is. */
export const REASONS: Readonly<Record<string, string>> = {
  LOW_INTEGRITY: 'Some of its decisions were not clear',
  RECENT_VIOLATIONS: 'It crossed a boundary of its card in the last 90 days',
  UNSTABLE_SESSIONS: 'It drifted from its card within a session',
  MISSING_TRACES: 'Decisions are missing from its traces',
  LOW_COHERENCE: 'Its values fit badly with those it works with',
  UNMEASURED_COHERENCE: 'It has met no other agent yet, so the neutral value holds',
}
