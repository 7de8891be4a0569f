/** A violation with its comments and reclassification (spec: control §1.1). */
export type Violation = {
  checkpointId: string
  sessionId: string
  linkedTraceId: string | null
  verdict: string
  violationType: string | null
  severity: string | null
  description: string | null
  cardId: string
  timestamp: Date
  reclassifiedAs: string | null
  reclassificationId: string | null
  countsAgainstScore: boolean
  /** Hex; null without a certificate. */
  certificateHash: string | null
  policy: { verdict: string; violations: number; warnings: number } | null
  loosenedBy: readonly string[]
  said: { count: number; latest: readonly Comment[] }
}

export type Comment = {
  id: string
  checkpointId: string
  author: string
  text: string
  createdAt: Date
  prevHash: string
  entryHash: string
}

export type Reclassification = {
  reclassificationId: string
  checkpointId: string
  agentId: string
  originalType: string
  newType: string
  reason: string
  cardAmendmentId: string | null
  approvedBy: string
  createdAt: Date
  scoreBefore: number | null
  scoreAfter: number | null
  /** Null until a score includes it. */
  recomputedAt: Date | null
}

export type Amendment = {
  amendmentId: string
  agentId: string
  field: string
  previousValue: unknown
  newValue: unknown
  reason: string
  linkedReclassificationId: string | null
  createdAt: Date
  fromVersion: number
  toVersion: number
  createdBy: string
}

export type Snapshot = {
  weekStart: string
  score: number
  grade: string
  checkpointCount: number
  components: Readonly<Record<string, number | null>>
  /** Null in weeks before there was assurance. */
  assurance: number | null
  assuredScore: number | null
}

export const SECTIONS = [
  'violations',
  'reclassifications',
  'card_amendments',
  'score_history',
] as const
export type Section = (typeof SECTIONS)[number]

/** The fields of each section in their documented order, which CSV columns follow. */
export const FIELDS = {
  violations: [
    'checkpoint_id',
    'session_id',
    'trace_id',
    'verdict',
    'type',
    'severity',
    'description',
    'card_id',
    'detected_at',
    'reclassified_as',
    'reclassification_id',
    'counts_against_score',
    'certificate_hash',
    'policy',
    'loosened_by',
    'comment_count',
    'comments',
  ],
  reclassifications: [
    'reclassification_id',
    'checkpoint_id',
    'agent_id',
    'original_type',
    'new_type',
    'reason',
    'card_amendment_id',
    'approved_by',
    'created_at',
    'score_impact',
  ],
  card_amendments: [
    'amendment_id',
    'agent_id',
    'field_changed',
    'previous_value',
    'new_value',
    'reason',
    'linked_reclassification_id',
    'created_at',
    'from_version',
    'to_version',
    'created_by',
  ],
  score_history: [
    'week_start',
    'score',
    'grade',
    'checkpoint_count',
    'components',
    'assurance',
    'assured_score',
  ],
} as const satisfies Record<Section, readonly string[]>

/** One exported record. */
export type ExportRecord = Readonly<Record<string, unknown>>

/** INVARIANT: the members are in the order of the fields, too. */
type RecordOf<S extends Section> = Readonly<Record<(typeof FIELDS)[S][number], unknown>>

export function toViolation(one: Violation): RecordOf<'violations'> {
  return {
    checkpoint_id: one.checkpointId,
    session_id: one.sessionId,
    trace_id: one.linkedTraceId,
    verdict: one.verdict,
    type: one.violationType,
    severity: one.severity,
    description: one.description,
    card_id: one.cardId,
    detected_at: one.timestamp.toISOString(),
    reclassified_as: one.reclassifiedAs,
    reclassification_id: one.reclassificationId,
    counts_against_score: one.countsAgainstScore,
    certificate_hash: one.certificateHash === null ? null : `sha256:${one.certificateHash}`,
    policy: one.policy && {
      verdict: one.policy.verdict,
      violations: one.policy.violations,
      warnings: one.policy.warnings,
    },
    loosened_by: one.loosenedBy,
    comment_count: one.said.count,
    comments: one.said.latest.map(toComment),
  }
}

function toComment(comment: Comment) {
  return {
    id: comment.id,
    checkpoint_id: comment.checkpointId,
    author: comment.author,
    text: comment.text,
    created_at: comment.createdAt.toISOString(),
    prev_hash: comment.prevHash,
    entry_hash: comment.entryHash,
  }
}

/** The reclassification as of `at`: a later recomputation of the score is not shown. */
export function toReclassification(one: Reclassification, at: Date): RecordOf<'reclassifications'> {
  const settled = one.recomputedAt !== null && one.recomputedAt <= at
  return {
    reclassification_id: one.reclassificationId,
    checkpoint_id: one.checkpointId,
    agent_id: one.agentId,
    original_type: one.originalType,
    new_type: one.newType,
    reason: one.reason,
    card_amendment_id: one.cardAmendmentId,
    approved_by: one.approvedBy,
    created_at: one.createdAt.toISOString(),
    score_impact: {
      score_before: one.scoreBefore,
      score_after: settled ? one.scoreAfter : null,
      recomputation_pending: !settled,
    },
  }
}

export function toAmendment(one: Amendment): RecordOf<'card_amendments'> {
  return {
    amendment_id: one.amendmentId,
    agent_id: one.agentId,
    field_changed: one.field,
    previous_value: one.previousValue,
    new_value: one.newValue,
    reason: one.reason,
    linked_reclassification_id: one.linkedReclassificationId,
    created_at: one.createdAt.toISOString(),
    from_version: one.fromVersion,
    to_version: one.toVersion,
    created_by: one.createdBy,
  }
}

export function toSnapshot(one: Snapshot): RecordOf<'score_history'> {
  return {
    week_start: one.weekStart,
    score: one.score,
    grade: one.grade,
    checkpoint_count: one.checkpointCount,
    components: one.components,
    assurance: one.assurance,
    assured_score: one.assuredScore,
  }
}
