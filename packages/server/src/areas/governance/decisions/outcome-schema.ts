import { toStorable } from '@touchstone/protocol/analysis'
import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import { OUTCOMES, type Outcome } from './decision-record.ts'
import type { OutcomeAnswer } from './outcome.ts'
import type { Report } from './outcome-service.ts'

const ERROR_LENGTH_MAX = 500
const BATCH_MAX = 100
const DURATION_MS_MAX = 1e9

const Status = NamedEnum('CallOutcomeStatus', [...OUTCOMES])

export const CallOutcome = NamedObject('CallOutcome', {
  status: Status,
  reported_at: Type.String(),
  duration_ms: Nullable(Type.Number()),
  error: Nullable(Type.String()),
  result_hash: Nullable(Type.String()),
  bypassed: Type.Boolean({ description: 'the call was made although it was refused' }),
})

export function toOutcome(outcome: Outcome): Static<typeof CallOutcome> {
  return {
    status: outcome.status,
    reported_at: outcome.reportedAt.toISOString(),
    duration_ms: outcome.durationMs,
    error: outcome.error,
    result_hash: outcome.resultHash,
    bypassed: outcome.bypassed,
  }
}

const REPORTED = {
  status: Status,
  duration_ms: Type.Optional(
    Type.Number({ minimum: 0, maximum: DURATION_MS_MAX, description: 'how long the call took' }),
  ),
  error: Type.Optional(
    Type.String({ maxLength: ERROR_LENGTH_MAX, description: 'the message of a failed call' }),
  ),
  result_hash: Type.Optional(
    Type.String({ pattern: '^[0-9a-fA-F]{64}$', description: 'SHA-256 of the result, in hex' }),
  ),
}

export const OutcomeBody = NamedObject('OutcomeReport', REPORTED)

export const OutcomesBody = NamedObject('OutcomeReports', {
  outcomes: Type.Array(
    NamedObject('DecisionOutcomeReport', {
      decision_id: Type.String({ maxLength: 128 }),
      ...REPORTED,
    }),
    { minItems: 1, maxItems: BATCH_MAX },
  ),
})

export function toReport(decisionId: string, body: Static<typeof OutcomeBody>): Report {
  const { status, duration_ms: durationMs = null, error, result_hash: resultHash } = body
  return {
    decisionId,
    status,
    durationMs,
    error: error === undefined ? null : toStorable(error, ERROR_LENGTH_MAX),
    resultHash: resultHash?.toLowerCase() ?? null,
  }
}

export const OutcomeAnswerBody = NamedObject('ReportedOutcome', {
  decision_id: Type.String(),
  outcome: CallOutcome,
})

export const OutcomeResults = NamedObject('OutcomeResults', {
  results: Type.Array(
    NamedObject('OutcomeResult', {
      decision_id: Type.String(),
      status: NamedEnum('OutcomeResultStatus', ['stored', 'duplicate', 'conflict', 'not_found'], {
        description: 'conflict: it has another outcome, or was decided more than 24 hours ago',
      }),
    }),
    { description: 'in the order of the request' },
  ),
})

const STATUS_OF = {
  new: 'stored',
  duplicate: 'duplicate',
  conflict: 'conflict',
  late: 'conflict',
  not_found: 'not_found',
} as const

export function toResults(
  reports: readonly Report[],
  answers: readonly OutcomeAnswer[],
): Static<typeof OutcomeResults> {
  return {
    results: answers.map((answer, at) => ({
      decision_id: reports[at]?.decisionId ?? '',
      status: STATUS_OF[answer.kind],
    })),
  }
}
