import { describe, expect, it } from 'vitest'
import type { AgentStanding } from '../agents/use-standings.ts'
import { changedAgents } from './changed-agents.ts'

const RANGE = {
  from: new Date('2026-11-17T12:00:00.000Z'),
  to: new Date('2026-11-18T12:00:00.000Z'),
}
const OLD = '2026-10-01T00:00:00.000Z'

const agent = (agentId: string, createdAt: string, updatedAt: string, fields = {}) =>
  ({
    agent_id: agentId,
    created_at: createdAt,
    updated_at: updatedAt,
    status: 'active',
    trend_30d: 0,
    ...fields,
  }) as AgentStanding

const namesOf = (found: ReturnType<typeof changedAgents>) =>
  found.map(({ agent: { agent_id: id }, change }) => [id, change])

describe('agents that changed', () => {
  it('are those of the range, newest first, then those whose score changed most', () => {
    const agents = [
      agent('still', OLD, OLD),
      agent('fell', OLD, OLD, { trend_30d: -40 }),
      agent('rose', OLD, OLD, { trend_30d: 12 }),
      agent('updated', OLD, '2026-11-17T13:00:00.000Z'),
      agent('killed', OLD, '2026-11-18T11:00:00.000Z', { status: 'killed' }),
      agent('new', '2026-11-18T09:00:00.000Z', '2026-11-18T10:00:00.000Z'),
      agent('later', '2026-11-18T13:00:00.000Z', '2026-11-18T13:00:00.000Z'),
    ]
    expect(namesOf(changedAgents([...agents, ...agents], RANGE))).toEqual([
      ['killed', 'stopped'],
      ['new', 'registered'],
      ['updated', 'updated'],
      ['fell', undefined],
      ['rose', undefined],
    ])
  })
})
