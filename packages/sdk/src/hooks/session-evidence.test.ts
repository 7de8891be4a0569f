import { describe, expect, it } from 'vitest'
import { type NotedCall, sessionEvidence } from './session-evidence.ts'

const call = (index: number, more: Partial<NotedCall> = {}): NotedCall => ({
  trace_id: `tr-${index}`,
  tool: 'Read',
  arguments: { file_path: `/w/${index}` },
  decision: 'allow',
  decision_id: `dec-${index}`,
  escalation_id: null,
  reasons: [],
  outcome: 'executed',
  at: index,
  ...more,
})

const evidence = (calls: NotedCall[], more: { isOver?: boolean; nowMs?: number } = {}) => {
  return sessionEvidence({
    agentId: 'a',
    sessionId: 's',
    calls,
    thinking: ['I read the files first.'],
    isOver: false,
    nowMs: 10,
    ...more,
  })
}

describe('sessionEvidence', () => {
  it('waits until there is enough, somebody waits, a minute has passed or the session is over', () => {
    expect(evidence([call(1)])).toBeUndefined()
    expect(evidence([])).toBeUndefined()
    expect(evidence([call(1)], { nowMs: 60_001 })?.checkpoints).toHaveLength(1)
    expect(
      evidence([call(1, { decision: 'block', outcome: undefined })])?.checkpoints,
    ).toHaveLength(1)
    const many = Array.from({ length: 30 }, (_, index) => call(index))
    expect(evidence(many)?.checkpoints.length).toBeGreaterThan(0)
  })

  it('has one line per call, all decisions, and the words of the model', () => {
    const sent = evidence([call(1), call(2, { outcome: 'failed' })], { isOver: true })
    expect(sent?.checkpoints).toMatchObject([
      {
        agent_id: 'a',
        session_id: 's',
        checkpoint_id: 'ic-1',
        thinking: 'I read the files first.',
        output: 'Read({"file_path":"/w/1"})\nRead({"file_path":"/w/2"})',
        actions: ['Read'],
        decision_ids: ['dec-1', 'dec-2'],
      },
    ])
    expect(sent?.traces).toMatchObject([
      { trace_id: 'tr-1', context: { metadata: { integrity_checkpoint_id: 'ic-1' } } },
      { trace_id: 'tr-2', context: { metadata: { outcome: 'failed' } } },
    ])
  })

  it('puts every call into exactly one checkpoint', () => {
    const calls = Array.from({ length: 130 }, (_, index) => call(index))
    const sent = evidence(calls, { isOver: true })
    const ids = sent?.checkpoints.flatMap(({ decision_ids: own = [] }) => own)
    expect(ids).toEqual(calls.map(({ decision_id: id }) => id))
    expect(sent?.traces).toHaveLength(130)
  })
})
