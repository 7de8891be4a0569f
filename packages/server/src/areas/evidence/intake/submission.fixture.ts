import { type Decision, readSubmission, type Submission } from './submission.ts'

export const START = new Date('2026-03-01T00:00:00.000Z')

export function submissionOf(changes: Partial<Submission> = {}): Submission {
  return {
    agentId: 'agent-demo',
    checkpointId: undefined,
    sessionId: 's1',
    timestamp: undefined,
    provider: undefined,
    model: undefined,
    extractionMethod: undefined,
    thinking: 'alpha',
    output: undefined,
    actions: [],
    context: {},
    taskContext: undefined,
    traceId: undefined,
    ...changes,
  }
}

export function decisionOf(changes: Partial<Submission> = {}, now = START): Decision {
  const read = readSubmission(submissionOf(changes), now)
  if (!read.ok) throw new Error(read.reason)
  return read.decision
}
