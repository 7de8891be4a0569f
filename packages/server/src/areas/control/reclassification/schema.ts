import { RECLASSIFIED_TYPES } from '@touchstone/protocol/control'
import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import {
  Instant,
  Nullable,
  PageFields,
  PageQuery,
  toInstant,
  toPageFields,
} from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import type { Span, ViolationFilter, ViolationKind } from './ports.ts'
import type { LinkedAmendment } from './record-service.ts'
import type { NewReclassification } from './service.ts'
import type { Reclassification as ReclassificationValue } from './store.ts'
import { hashedComment, type TrailEntry } from './trail.ts'
import { VIOLATION_STATUSES, VIOLATION_VERDICTS } from './violation.ts'
import type { Violation as ViolationValue } from './violation-service.ts'

const Text = Type.String()
const Id = Type.String({ minLength: 1, maxLength: 128 })
const NewType = NamedEnum('ReclassifiedType', [...RECLASSIFIED_TYPES])

export const ViolationParams = Type.Object({ agent_id: Text, checkpoint_id: Text })

const SPAN = { from: Type.Optional(Instant), to: Type.Optional(Instant) }

export const ViolationTypesQuery = Type.Object(SPAN)

export const ViolationQuery = Type.Object({
  status: Type.Optional(NamedEnum('ViolationStatus', [...VIOLATION_STATUSES], { default: 'all' })),
  verdict: Type.Optional(NamedEnum('ViolationVerdict', [...VIOLATION_VERDICTS])),
  type: Type.Optional(Type.String({ maxLength: 100, description: 'as of violation-types' })),
  ...SPAN,
  ...PageQuery.properties,
})

export const ReclassifyBody = NamedObject('NewReclassification', {
  checkpoint_id: Id,
  reason: Type.String({ minLength: 1, maxLength: 500 }),
  card_amendment_id: Type.Optional(
    Nullable(
      Type.String({
        ...Id,
        description:
          'the amendment that would have made the call right: later than the checkpoint, and part of the active card',
      }),
    ),
  ),
  new_type: Type.Optional(
    NamedEnum('ReclassifiedType', [...RECLASSIFIED_TYPES], {
      description:
        'default: card_gap with an amendment, behavior_gap for a violation that no gap in a card explains, else card_gap',
    }),
  ),
})

export const CommentBody = NamedObject('NewViolationComment', {
  text: Type.String({ minLength: 1, maxLength: 2000 }),
})

export const Comment = NamedObject('ViolationComment', {
  id: Text,
  checkpoint_id: Text,
  author: Text,
  text: Text,
  created_at: Text,
  prev_hash: Type.String({ description: "entry_hash of the agent's previous entry" }),
  entry_hash: Type.String({
    description:
      'SHA-256, in hex, of prev_hash, a line feed, and the entry without both hashes as RFC 8785 JSON',
  }),
})

export const CommentPage = NamedObject('ViolationCommentPage', {
  comments: Type.Array(Comment),
  ...PageFields,
})

export const Violation = NamedObject('Violation', {
  checkpoint_id: Text,
  session_id: Text,
  trace_id: Nullable(Text),
  verdict: Text,
  type: Text,
  severity: Nullable(Text),
  description: Nullable(Text),
  card_id: Text,
  detected_at: Text,
  reclassified_as: Nullable(NewType),
  reclassification_id: Nullable(Text),
  counts_against_score: Type.Boolean(),
  certificate_hash: Nullable(Text),
  policy: Nullable(
    Type.Object({ verdict: Text, violations: Type.Integer(), warnings: Type.Integer() }),
  ),
  loosened_by: Type.Array(Text, {
    description:
      'ids of the amendments that loosened the card from the violation until 24 hours after it was received',
  }),
  comment_count: Type.Integer(),
  comments: Type.Array(Comment, { description: 'the last 20, oldest first' }),
})

export const ViolationPage = NamedObject('ViolationPage', {
  violations: Type.Array(Violation),
  ...PageFields,
})

export const ViolationTypes = NamedObject('ViolationTypes', {
  types: Type.Array(
    NamedObject('ViolationType', {
      type: Text,
      count: Type.Integer(),
      boundary_violations: Type.Integer({ description: 'the others need review' }),
      reclassified: Type.Integer(),
      sessions: Type.Integer({ description: 'in which they occurred' }),
      last_at: Text,
    }),
  ),
})

const ReclassificationFacts = NamedObject('ReclassificationSummary', {
  reclassification_id: Text,
  checkpoint_id: Text,
  original_type: Text,
  new_type: NewType,
  reason: Text,
  card_amendment_id: Nullable(Text),
  approved_by: Text,
  created_at: Text,
  score_impact: NamedObject('ScoreImpact', {
    score_before: Nullable(Type.Number()),
    score_after: Nullable(Type.Number()),
    recomputation_pending: Type.Boolean(),
  }),
})

export const Reclassification = NamedObject('Reclassification', {
  agent_id: Text,
  ...ReclassificationFacts.properties,
})

export const ReclassificationPage = NamedObject('ReclassificationPage', {
  reclassifications: Type.Array(ReclassificationFacts),
  ...PageFields,
})

export const CardAmendment = NamedObject('CardAmendment', {
  amendment_id: Text,
  agent_id: Text,
  field_changed: Text,
  previous_value: Type.Unknown(),
  new_value: Type.Unknown(),
  reason: Text,
  linked_reclassification_id: Nullable(Text),
  created_at: Text,
  from_version: Type.Integer(),
  to_version: Type.Integer(),
  created_by: Text,
})

export const AmendmentPage = NamedObject('CardAmendmentPage', {
  card_amendments: Type.Array(CardAmendment),
  ...PageFields,
})

export function toFilter(agentId: string, query: Static<typeof ViolationQuery>): ViolationFilter {
  const { status = 'all', verdict, type } = query
  return {
    agentId,
    verdict,
    reclassified: status === 'all' ? undefined : status === 'reclassified',
    type,
    ...toSpan(query),
  }
}

export function toSpan({ from, to }: Static<typeof ViolationTypesQuery>): Span {
  return { from: toInstant(from, 'from'), to: toInstant(to, 'to') }
}

export function toViolationTypes(kinds: readonly ViolationKind[]): Static<typeof ViolationTypes> {
  return {
    types: kinds.map(({ boundaryViolations, lastAt, ...kind }) => ({
      ...kind,
      boundary_violations: boundaryViolations,
      last_at: lastAt.toISOString(),
    })),
  }
}

export function toNewReclassification(
  agentId: string,
  body: Static<typeof ReclassifyBody>,
): NewReclassification {
  return {
    agentId,
    checkpointId: body.checkpoint_id,
    reason: body.reason,
    cardAmendmentId: body.card_amendment_id ?? null,
    newType: body.new_type,
  }
}

export function toViolationPage(page: Page<ViolationValue>): Static<typeof ViolationPage> {
  return { violations: page.items.map(toViolation), ...toPageFields(page) }
}

function toViolation(violation: ViolationValue): Static<typeof Violation> {
  const { certificateHash, policy, said } = violation
  return {
    checkpoint_id: violation.checkpointId,
    session_id: violation.sessionId,
    trace_id: violation.linkedTraceId,
    verdict: violation.verdict,
    type: violation.violationType ?? '',
    severity: violation.severity,
    description: violation.description,
    card_id: violation.cardId,
    detected_at: violation.timestamp.toISOString(),
    reclassified_as: violation.reclassifiedAs,
    reclassification_id: violation.reclassificationId,
    counts_against_score: violation.countsAgainstScore,
    certificate_hash: certificateHash === null ? null : `sha256:${certificateHash}`,
    policy: policy && {
      verdict: policy.verdict,
      violations: policy.violations,
      warnings: policy.warnings,
    },
    loosened_by: [...violation.loosenedBy],
    comment_count: said.count,
    comments: said.latest.map(toComment),
  }
}

export function toComment(entry: TrailEntry): Static<typeof Comment> {
  return { ...hashedComment(entry), prev_hash: entry.prevHash, entry_hash: entry.entryHash }
}

export function toCommentPage(page: Page<TrailEntry>): Static<typeof CommentPage> {
  return { comments: page.items.map(toComment), ...toPageFields(page) }
}

export function toReclassification(one: ReclassificationValue): Static<typeof Reclassification> {
  return { agent_id: one.agentId, ...toFacts(one) }
}

export function toReclassificationPage(
  page: Page<ReclassificationValue>,
): Static<typeof ReclassificationPage> {
  return { reclassifications: page.items.map(toFacts), ...toPageFields(page) }
}

function toFacts(one: ReclassificationValue): Static<typeof ReclassificationFacts> {
  return {
    reclassification_id: one.reclassificationId,
    checkpoint_id: one.checkpointId,
    original_type: one.originalType,
    new_type: one.newType,
    reason: one.reason,
    card_amendment_id: one.cardAmendmentId,
    approved_by: one.approvedBy,
    created_at: one.createdAt.toISOString(),
    score_impact: {
      score_before: one.scoreBefore,
      score_after: one.scoreAfter,
      recomputation_pending: one.recomputedAt === null,
    },
  }
}

export function toAmendmentPage(page: Page<LinkedAmendment>): Static<typeof AmendmentPage> {
  return {
    card_amendments: page.items.map((one) => ({
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
    })),
    ...toPageFields(page),
  }
}
