/** What a violation can turn out to be: the card was wrong, or the agent was. */
export const RECLASSIFIED_TYPES = ['card_gap', 'behavior_gap'] as const

export type ReclassifiedType = (typeof RECLASSIFIED_TYPES)[number]

/** No gap of a card explains these by itself: calling them one needs the card's amendment. */
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
  /** Whether it names the change that closed the gap of the card. */
  amended: boolean
  /** As the caller wants it, if they say. */
  asked: ReclassifiedType | undefined
}

export type ReclassificationChoice =
  | { allowed: true; newType: ReclassifiedType }
  | { allowed: false; newType: undefined }

/** Refused only where a card gap is asked for a hard type without any amendment. */
export function chooseReclassification(request: ReclassificationRequest): ReclassificationChoice {
  const { originalType, amended, asked } = request
  const hard = HARD_TYPES.some((type) => type === originalType)
  if (asked === 'card_gap' && hard && !amended) return { allowed: false, newType: undefined }
  if (asked !== undefined) return { allowed: true, newType: asked }
  return { allowed: true, newType: amended || !hard ? 'card_gap' : 'behavior_gap' }
}
