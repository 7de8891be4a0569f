/** The possible outcomes for a violation: the card was wrong, or the agent was. */
export const RECLASSIFIED_TYPES = ['card_gap', 'behavior_gap'] as const

export type ReclassifiedType = (typeof RECLASSIFIED_TYPES)[number]

/**
 * Types that a card gap does not explain by itself; making them one requires an amendment of the
 * card.
 */
export const HARD_TYPES = [
  'FORBIDDEN_ACTION',
  'MISSED_ESCALATION',
  'PROMPT_INJECTION',
  'VALUE_MISALIGNMENT',
  'REASONING_CORRUPTION',
  'DECEPTIVE_REASONING',
  'OUTPUT_MISALIGNMENT',
  'OUTPUT_INJECTION_COMPLIANCE',
] as const

export type ReclassificationRequest = {
  originalType: string
  /** The types of its concerns: a soft violation must not cover a hard one beside it. */
  concernTypes: readonly string[]
  /** Whether the request names the card amendment that closed the gap. */
  amended: boolean
  /** The type that the caller requests, if any. */
  asked: ReclassifiedType | undefined
}

export type ReclassificationChoice =
  | { allowed: true; newType: ReclassifiedType }
  | { allowed: false; newType: undefined }

/** Rejects only a card gap requested for a hard type without an amendment. */
export function chooseReclassification(request: ReclassificationRequest): ReclassificationChoice {
  const { originalType, concernTypes, amended, asked } = request
  const hard = HARD_TYPES.some((type) => type === originalType || concernTypes.includes(type))
  if (asked === 'card_gap' && hard && !amended) return { allowed: false, newType: undefined }
  if (asked !== undefined) return { allowed: true, newType: asked }
  return { allowed: true, newType: amended || !hard ? 'card_gap' : 'behavior_gap' }
}
