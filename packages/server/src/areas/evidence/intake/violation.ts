import { toEvidence } from '@touchstone/protocol/analysis'
import { sha256Hex } from '@touchstone/protocol/crypto'
import type { Examination } from '@touchstone/protocol/evidence'
import { defaultSessionId } from '@touchstone/protocol/identifiers'
import type { Submission } from './submission.ts'

/** A boundary violation that is a fact, such as a call that was made although it was refused. */
export type Violation = {
  agentId: string
  sessionId: string | null
  at: Date
  /** SHA-256, in hex, of the document that the violation is about. */
  subjectHash: string
  description: string
  evidence: string
  /** The decision that was not followed. */
  decisionId: string
}

/** The checkpoint's submission: no texts, and the hash of the document in place of the output's. */
export function submissionOf(violation: Violation): Submission {
  const { agentId, at, subjectHash, sessionId, decisionId } = violation
  return {
    agentId,
    checkpointId: undefined,
    provider: undefined,
    model: undefined,
    extractionMethod: undefined,
    actions: [],
    context: {},
    taskContext: undefined,
    traceId: undefined,
    decisionIds: [decisionId],
    thinking: undefined,
    output: undefined,
    timestamp: at,
    sessionId: sessionId ?? defaultSessionId(agentId, at.getTime()),
    sessionNamed: sessionId !== null,
    givenSessionId: sessionId,
    thinkingHash: sha256Hex(''),
    outputHash: subjectHash,
  }
}

const GATEWAY = 'gateway'

/** spec: evidence §4.4. */
export function examinationOf({ description, evidence }: Violation): Examination {
  return {
    verdict: 'boundary_violation',
    concerns: [
      {
        category: 'autonomy_violation',
        severity: 'critical',
        description,
        evidence: toEvidence(evidence),
        relevant_card_field: null,
        relevant_conscience_value: null,
      },
    ],
    reasoningSummary: description,
    conscienceContext: {
      values_checked: [],
      conflicts: [],
      supports: [],
      considerations: [],
      consultation_depth: 'surface',
    },
    analyzer: GATEWAY,
    analysisModel: GATEWAY,
    durationMs: 0,
    confidence: 1,
    details: {
      analysis_scope: 'thinking_only',
      thinking_tokens_original: 0,
      thinking_tokens_analyzed: 0,
      truncated: false,
    },
    syntheticReason: null,
    crossValidationWarnings: [],
  }
}
