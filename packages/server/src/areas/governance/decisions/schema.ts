import { ENFORCEMENT_MODES } from '@touchstone/protocol/policy'
import { type Static, Type } from 'typebox'
import { DecisionOutcome, DecisionReasons, DecisionReceipt } from '../../../decision-wire.ts'
import { ROW_FORMATS } from '../../../exports/row-formats.ts'
import { ROWS_CONTENT } from '../../../http/answers/export-file.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Instant, Nullable, toInstant } from '../../../http/wire.ts'
import { LogProof } from '../../../log-wire.ts'
import type { DecisionFilter } from './decision-filter.ts'
import { DECISION_SOURCES, type LoggedDecision, OUTCOMES } from './decision-record.ts'
import type { Render } from './export-service.ts'
import { CallOutcome, toOutcome } from './outcome-schema.ts'
import type { DecisionList } from './read-service.ts'

const LIMIT_DEFAULT = 50
const LIMIT_MAX = 200

const Outcome = NamedEnum('DecisionOutcomeFilter', [...OUTCOMES, 'none', 'bypassed'])

export const DecisionParams = Type.Object({ decision_id: Type.String() })

const FILTERS = {
  agent_id: Type.Optional(Type.String({ maxLength: 128 })),
  session_id: Type.Optional(Type.String({ maxLength: 128 })),
  tool: Type.Optional(
    Type.String({ maxLength: 256, description: 'exact, or a prefix that ends in *' }),
  ),
  decision: Type.Optional(
    Type.Array(DecisionOutcome, {
      minItems: 1,
      maxItems: 4,
      description: 'repeatable',
    }),
  ),
  source: Type.Optional(NamedEnum('DecisionSource', [...DECISION_SOURCES])),
  policy_id: Type.Optional(Type.String({ maxLength: 128 })),
  escalation_id: Type.Optional(Type.String({ maxLength: 128 })),
  call_id: Type.Optional(Type.String({ maxLength: 128 })),
  outcome: Type.Optional(Outcome),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
}

export const DecisionQuery = Type.Object({
  ...FILTERS,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT })),
  cursor: Type.Optional(
    Type.String({ maxLength: 200, description: 'next_cursor of the page before' }),
  ),
})

const DecisionFilters = Type.Object(FILTERS)

export const DecisionExportQuery = Type.Object({
  ...FILTERS,
  format: Type.Optional(NamedEnum('DecisionExportFormat', [...ROW_FORMATS], { default: 'ndjson' })),
})

export const DecisionExportAnswer = {
  description:
    'The decisions as of the start of the export, newest first, as a file. NDJSON: one record per line, its kind in the field record (header, decision, trailer); the trailer has the count and the SHA-256, in hex, of all bytes before it. CSV: a header row; nested values are JSON, and a cell that starts like a formula gets a leading apostrophe; the count and the SHA-256 of all bytes are the HTTP trailers X-Touchstone-Count and X-Touchstone-Sha256.',
  content: ROWS_CONTENT,
}

export function toFilter(orgId: string, query: Static<typeof DecisionFilters>): DecisionFilter {
  return {
    orgId,
    agentId: query.agent_id,
    sessionId: query.session_id,
    tool: query.tool,
    decisions: query.decision,
    source: query.source,
    policyId: query.policy_id,
    escalationId: query.escalation_id,
    callId: query.call_id,
    outcome: query.outcome,
    from: toInstant(query.from, 'from'),
    to: toInstant(query.to, 'to'),
  }
}

export function toPage(query: Static<typeof DecisionQuery>) {
  return { cursor: query.cursor, limit: query.limit ?? LIMIT_DEFAULT }
}

export const DecisionRecord = NamedObject('DecisionRecord', {
  decision_id: Type.String(),
  org_id: Type.String(),
  agent_id: Type.String(),
  session_id: Nullable(Type.String()),
  call_id: Nullable(Type.String({ description: "the caller's own id of the tool call" })),
  tool: Type.String(),
  arguments_hash: Nullable(Type.String()),
  decision: DecisionOutcome,
  reasons: DecisionReasons,
  verdict: Nullable(NamedEnum('PolicyVerdict', ['pass', 'warn', 'fail'])),
  enforcement_mode: Nullable(NamedEnum('PolicyMode', [...ENFORCEMENT_MODES])),
  agent_enforcement_mode: NamedEnum('EnforcementMode', ['observe', 'nudge', 'enforce']),
  policy_id: Nullable(Type.String()),
  policy_version: Nullable(Type.Integer()),
  transaction_id: Nullable(Type.String()),
  escalation_id: Nullable(Type.String()),
  decided_at: Type.String(),
  duration_ms: Type.Number({ description: 'the time to decide, without signing and storing' }),
  enforced: Type.Boolean({ description: 'false if the client only records decisions' }),
  source: NamedEnum('DecisionSource', [...DECISION_SOURCES]),
  client: Nullable(Type.String({ description: 'X-Touchstone-Client of the request' })),
  receipt: DecisionReceipt,
  outcome: Nullable(CallOutcome, {
    description:
      'null if it was not reported; if enforced is true, a blocked call was then stopped before it ran, and an escalated one held',
  }),
  log_index: Nullable(
    Type.Integer({ description: 'the entry of its batch in the witnessed log, once it has one' }),
  ),
})

export const ProvenDecision = NamedObject('ProvenDecision', {
  ...DecisionRecord.properties,
  log: Nullable(LogProof, {
    description:
      'the proof that its batch is in the witnessed log, once a published checkpoint has it',
  }),
})

export const DecisionRecords = NamedObject('DecisionRecordList', {
  decisions: Type.Array(DecisionRecord),
  next_cursor: Nullable(Type.String({ description: 'null on the last page' })),
})

export function toRecord(stored: LoggedDecision): Static<typeof DecisionRecord> {
  return {
    decision_id: stored.decisionId,
    org_id: stored.orgId,
    agent_id: stored.agentId,
    session_id: stored.sessionId,
    call_id: stored.callId,
    tool: stored.tool,
    arguments_hash: stored.argumentsHash,
    decision: stored.decision,
    reasons: [...stored.reasons],
    verdict: stored.verdict,
    enforcement_mode: stored.enforcementMode,
    agent_enforcement_mode: stored.agentEnforcementMode,
    policy_id: stored.policyId,
    policy_version: stored.policyVersion,
    transaction_id: stored.transactionId,
    escalation_id: stored.escalationId,
    decided_at: stored.decidedAt.toISOString(),
    duration_ms: stored.durationMs,
    enforced: stored.enforced,
    source: stored.source,
    client: stored.client,
    receipt: stored.receipt,
    outcome: stored.outcome && toOutcome(stored.outcome),
    log_index: stored.logIndex,
  }
}

export function toProven(
  stored: LoggedDecision,
  log: Static<typeof LogProof> | undefined,
): Static<typeof ProvenDecision> {
  return { ...toRecord(stored), log: log ?? null }
}

export function toRecords(list: DecisionList): Static<typeof DecisionRecords> {
  return { decisions: list.decisions.map(toRecord), next_cursor: list.nextCursor }
}

/** The fields of an exported decision are those of the API, in their documented order. */
export const EXPORTED: Render = {
  fields: Object.keys(DecisionRecord.properties),
  records: (decisions) => decisions.map(toRecord),
}
