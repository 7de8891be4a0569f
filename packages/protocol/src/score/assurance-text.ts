import {
  ASSURANCE_NEEDS,
  type AssuranceLimit,
  type AssuranceName,
  HISTORY_DAYS_MIN,
} from './assurance.ts'

/**
 * The conditions of each level in words, for pages that explain them. Each level also has those of the
 * levels before it.
 */
export const ASSURANCE_CONDITIONS: Readonly<Record<AssuranceName, string>> = {
  unverified: 'Anything.',
  recorded: `Evidence on ${ASSURANCE_NEEDS.recorded.days} days, ${ASSURANCE_NEEDS.recorded.checkpoints} effective checkpoints.`,
  relayed: `The agent is claimed by a person, half of the checkpoints are observed or relayed, and there is evidence on ${ASSURANCE_NEEDS.relayed.days} days.`,
  observed: `Half of the checkpoints are observed, there is evidence on ${ASSURANCE_NEEDS.observed.days} days, ${ASSURANCE_NEEDS.observed.checkpoints} effective checkpoints, and the outcomes of 80% of the allowed tool calls are known.`,
  witnessed:
    'All checkpoints of the last 30 days, but those of the last hour, are in the log, and witnesses have confirmed it.',
}

/** When each limit applies, in words. */
export const ASSURANCE_LIMIT_CONDITIONS: Readonly<Record<AssuranceLimit, string>> = {
  SELF_REPORTED: 'less than half of the checkpoints were observed or relayed',
  SHORT_HISTORY: `evidence on fewer than ${HISTORY_DAYS_MIN} days`,
  ONE_BURST: 'over half of the clear checkpoints came in bursts',
  LOW_NOVELTY: 'over a tenth of the clear checkpoints repeat earlier ones or are word salad',
  UNTRACED: 'the outcomes of less than 80% of the allowed tool calls are known',
  UNCLAIMED: 'no person has claimed the agent',
  UNWITNESSED:
    'a checkpoint of the last 30 days is not in a log that witnesses have confirmed, or there is none',
}
