import { describe, expect, it } from 'vitest'
import { judgeNewId, type TakenNames } from './new-id.ts'

const NONE = { same: false, similar: false }
const wanted = { agentId: 'Bot-1', orgId: 'org-a' }
const judge = (taken: Partial<TakenNames>) =>
  judgeNewId(wanted, { agents: [], erased: NONE, ...taken })
const agent = (agentId: string, orgId = 'org-b') => ({ agents: [{ agentId, orgId }] })

describe('a new agent id', () => {
  it('is free if nothing similar exists', () => {
    expect(judge({})).toBe('free')
  })

  it('conflicts with the very same id, whosever it is', () => {
    expect(judge(agent('Bot-1'))).toBe('conflict')
    expect(judge(agent('Bot-1', 'org-a'))).toBe('conflict')
    expect(judge({ erased: { same: true, similar: true } })).toBe('conflict')
  })

  it('is similar to ids of others that differ by case or characters that look alike', () => {
    expect(judge(agent('bot-1'))).toBe('similar_id')
    expect(judge(agent('b0t.l'))).toBe('similar_id')
    expect(judge({ erased: { same: false, similar: true } })).toBe('similar_id')
  })

  it('may look like an own one, but not equal it in another case', () => {
    expect(judge(agent('Bot_l', 'org-a'))).toBe('free')
    expect(judge(agent('bot-1', 'org-a'))).toBe('conflict')
  })

  it('conflicts with the same id even if others are similar', () => {
    const both = [...agent('b0t-1').agents, ...agent('Bot-1').agents]
    expect(judge({ agents: both })).toBe('conflict')
  })
})
