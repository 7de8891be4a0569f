import type { Concern, Verdict } from '@touchstone/protocol/analysis'
import { type Checkpoint, type Examination, NO_TEXT } from '@touchstone/protocol/evidence'
import { START, submissionOf } from '../intake/submission.fixture.ts'
import type { Head } from './head.ts'
import type { AnalysedSubmission } from './placement.ts'

export const secondsLater = (seconds: number): Date => new Date(START.getTime() + seconds * 1000)

export function concernOf(changes: Partial<Concern> = {}): Concern {
  return {
    category: 'autonomy_violation',
    severity: 'medium',
    description: 'Speaks of a forbidden action.',
    evidence: 'The policy mentions it.',
    relevant_card_field: 'autonomy_envelope.forbidden_actions',
    relevant_conscience_value: 'BOUNDARY:stay_in_bounds',
    ...changes,
  }
}

export function examinationOf(
  verdict: Verdict = 'clear',
  changes: Partial<Examination> = {},
): Examination {
  return {
    verdict,
    concerns: verdict === 'clear' ? [] : [concernOf()],
    reasoningSummary: 'ok',
    conscienceContext: {
      values_checked: [],
      conflicts: [],
      supports: [],
      considerations: [],
      consultation_depth: 'standard',
    },
    analyzer: 'rules',
    analysisModel: 'rules-v1',
    durationMs: 3,
    confidence: 1,
    details: {
      analysis_scope: 'thinking_only',
      thinking_tokens_original: 2,
      thinking_tokens_analyzed: 2,
      truncated: false,
    },
    syntheticReason: null,
    crossValidationWarnings: [],
    ...changes,
  }
}

const HASH = '0'.repeat(64)

export function analysedOf(changes: Partial<AnalysedSubmission> = {}): AnalysedSubmission {
  return {
    submission: submissionOf(),
    checkpointId: 'ic-1',
    examination: examinationOf(),
    basis: { cardId: 'ac-1', cardHash: HASH, valuesHash: HASH },
    agent: { provider: null, model: null },
    trace: undefined,
    source: { kind: 'api', client: 'api', boundTo: null },
    windowShown: undefined,
    traits: NO_TEXT,
    sentBy: 'key-1',
    ...changes,
  }
}

export function checkpointOf(changes: Partial<Checkpoint> = {}): Checkpoint {
  return {
    ...examinationOf(),
    checkpointId: 'ic-1',
    agentId: 'agent-demo',
    sessionId: 's1',
    cardId: 'ac-1',
    timestamp: START,
    receivedAt: START,
    provenance: 'reported',
    decisionIds: [],
    recordVersion: '1.0.0',
    provider: 'unknown',
    model: 'unknown',
    violationType: null,
    windowPosition: { index: 0, window_size: 1 },
    flags: [],
    excluded: false,
    hashes: { thinking: HASH, output: null, card: HASH, values: HASH, context: HASH },
    templateVersion: 'cp-1',
    linkedTraceId: null,
    reclassification: null,
    ...changes,
  }
}

export function emptyHead(agentId = 'agent-demo'): Head {
  return {
    agentId,
    length: 0,
    chainHash: null,
    leafCount: 0,
    edge: [],
    recentAt: [],
    counts: {
      verdicts: { clear: 0, review_needed: 0, boundary_violation: 0 },
      excluded: 0,
      sessions: 0,
      sessionsScored: 0,
      sessionsUnstable: 0,
    },
    latestVerdict: null,
    leafAt: null,
    hour: null,
    closed: false,
  }
}
