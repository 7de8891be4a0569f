import type { RecordSource } from '@touchstone/protocol/evidence'
import type { ModelConnection } from '../../../model-turn.ts'
import { actionsOf, decisionsOf, type Evidence, textsOf } from './evidence.ts'
import type { Submission } from './ports.ts'
import { storable } from './storable.ts'

const MODEL_LENGTH_MAX = 128

/** Sessions of an agent at a provider, whose evidence becomes checkpoints. */
export type Recorded = { agentId: string; sessionId: string; connection: ModelConnection }

export function submissionOf(
  { agentId, sessionId, connection }: Recorded,
  evidence: Evidence,
  checkpointId: string | undefined,
): Submission {
  const { thinking, output } = textsOf(evidence)
  return {
    agentId,
    checkpointId,
    sessionId,
    timestamp: undefined,
    provider: connection.provider,
    model: evidence.model && storable(evidence.model, MODEL_LENGTH_MAX),
    extractionMethod: evidence.extractionMethod,
    thinking: thinking === '' ? undefined : thinking,
    isThinkingWithheld: evidence.isThinkingWithheld,
    isUngoverned: evidence.isUngoverned,
    isByRules: false,
    output: output === '' ? undefined : output,
    actions: actionsOf(evidence),
    context: {},
    taskContext: undefined,
    traceId: undefined,
    decisionIds: decisionsOf(evidence),
  }
}

/** Observed at a provider that the service knows; relayed from any other server. */
export function sourceOf({ provider }: Pick<ModelConnection, 'provider'>): RecordSource {
  return provider === 'openai_compatible' ? { kind: 'gateway' } : { kind: 'model_traffic' }
}
