import { type GivenSubmission, readSubmission, type Submission } from './submission.ts'

export const START = new Date('2026-03-01T00:00:00.000Z')

export function givenSubmissionOf(changes: Partial<GivenSubmission> = {}): GivenSubmission {
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
    decisionIds: [],
    ...changes,
  }
}

export function submissionOf(changes: Partial<GivenSubmission> = {}, now = START): Submission {
  const read = readSubmission(givenSubmissionOf(changes), now)
  if (!read.ok) throw new Error(read.reason)
  return read.submission
}
