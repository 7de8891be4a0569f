/**
 * The alignment card: what an agent stands for and may do. The document is hashed and compared as
 * it was written, so its fields keep their published names in code.
 */

export const AAP_VERSIONS = ['0.5.0', '0.1.0'] as const
export const PRINCIPAL_TYPES = ['human', 'organization', 'agent', 'unspecified'] as const
export const RELATIONSHIPS = ['delegated_authority', 'advisory', 'autonomous'] as const
export const HIERARCHIES = ['lexicographic', 'weighted', 'contextual'] as const
export const TRIGGER_ACTIONS = ['escalate', 'deny', 'log'] as const
export const STORAGE_TYPES = ['local', 'remote', 'distributed'] as const
export const TAMPER_EVIDENCE = ['append_only', 'signed', 'merkle'] as const
export const CONSCIENCE_TYPES = ['BOUNDARY', 'FEAR', 'COMMITMENT', 'BELIEF', 'HOPE'] as const

/** Well-known values; any other value needs a definition to be meaningful to a reader. */
export const STANDARD_VALUES: readonly string[] = [
  'principal_benefit',
  'transparency',
  'minimal_data',
  'harm_prevention',
  'honesty',
  'user_control',
  'privacy',
  'fairness',
]

/** 64 KB, measured over the canonical JSON in UTF-8. */
export const CARD_BYTES_MAX = 65_536

export type EscalationTrigger = {
  condition: string
  action: (typeof TRIGGER_ACTIONS)[number]
  reason: string
}

export type AlignmentCard = {
  aap_version: (typeof AAP_VERSIONS)[number]
  /** Assigned when the card is stored, unless the author chose one. */
  card_id?: string
  agent_id: string
  issued_at: string
  expires_at?: string
  principal: {
    type: (typeof PRINCIPAL_TYPES)[number]
    relationship: (typeof RELATIONSHIPS)[number]
    identifier?: string
    escalation_contact?: string
  }
  values: {
    declared: readonly string[]
    conflicts_with?: readonly string[]
    definitions?: Readonly<
      Record<string, { name?: string; description: string; priority?: number }>
    >
    hierarchy: (typeof HIERARCHIES)[number]
  }
  autonomy_envelope: {
    bounded_actions: readonly string[]
    forbidden_actions?: readonly string[]
    escalation_triggers?: readonly EscalationTrigger[]
    max_autonomous_value?: { amount: number; currency: string }
  }
  audit_commitment: {
    trace_format: string
    retention_days: number
    queryable: boolean
    query_endpoint?: string
    storage?: { type?: (typeof STORAGE_TYPES)[number]; location?: string }
    tamper_evidence?: (typeof TAMPER_EVIDENCE)[number]
  }
  extensions?: Readonly<Record<string, unknown>>
}

/** Stored with the card, but not part of its hash, and visible to owners only. */
export type ConscienceValue = {
  type: (typeof CONSCIENCE_TYPES)[number]
  name: string
  content: string
}

/** The minimal card of an agent that is registered without one. */
export function defaultCard(agentId: string, now: Date): AlignmentCard {
  return {
    aap_version: '0.5.0',
    agent_id: agentId,
    issued_at: now.toISOString(),
    principal: { type: 'unspecified', relationship: 'delegated_authority' },
    values: {
      declared: ['principal_benefit', 'transparency', 'honesty', 'harm_prevention'],
      hierarchy: 'lexicographic',
    },
    autonomy_envelope: { bounded_actions: ['inference'] },
    audit_commitment: { trace_format: 'ap-trace-v1', retention_days: 365, queryable: false },
  }
}

/**
 * Whether an action is listed. An entry may have an explanation after a colon: `refund: up to the
 * paid price`.
 */
export function isListed(name: string, entries: readonly string[]): boolean {
  return entries.some((entry) => entry === name || actionName(entry) === name)
}

/** The action's name, without the explanation after the colon. */
export function actionName(entry: string): string {
  const colon = entry.indexOf(':')
  return colon < 0 ? entry : entry.slice(0, colon)
}

export type ConscienceConflict = { action: string; actionIndex: number; valueIndex: number }

/**
 * Bounded actions that a prohibitive BOUNDARY names as whole words, with `_` treated as a space.
 */
export function conscienceConflicts(
  boundedActions: readonly string[],
  values: readonly { type: string; content: string }[],
): ConscienceConflict[] {
  const conflicts: ConscienceConflict[] = []
  const actions = boundedActions.map((action) => wordsOf(action))
  for (const [valueIndex, value] of values.entries()) {
    if (value.type !== 'BOUNDARY') continue
    const words = wordsOf(value.content)
    if (!words.some((word) => PROHIBITIVE.has(word))) continue
    // Spaces at both ends make every match a whole word.
    const text = ` ${words.join(' ')} `
    for (const [actionIndex, action] of actions.entries()) {
      if (action.length === 0 || !text.includes(` ${action.join(' ')} `)) continue
      conflicts.push({ action: boundedActions[actionIndex] ?? '', actionIndex, valueIndex })
    }
  }
  return conflicts
}

/** A BOUNDARY without one of these words requires something instead of forbidding it. */
const PROHIBITIVE: ReadonlySet<string> = new Set([
  'never',
  'not',
  'no',
  "don't",
  'avoid',
  'forbidden',
  'prohibited',
])

/**
 * Words as the rule analyser splits them: a hyphen or underscore separates, an apostrophe joins.
 */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').replace(/[\u2018-\u201b]/g, "'")
  return plain.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []
}
