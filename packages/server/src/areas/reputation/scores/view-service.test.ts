import { beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { RatedAgent } from './ports.ts'
import { createViews } from './view-service.ts'

const AGENT: RatedAgent = {
  agentId: 'agent-1',
  orgId: 'org-1',
  visibility: 'public',
  createdAt: new Date(0),
}

const clock = testClock()
let agent: RatedAgent | undefined
let tell: (key: string) => void
let reset: () => void
/** Called while the agent is being looked up. */
let onFind: () => void
let asked: number
let views: ReturnType<typeof createViews>

beforeEach(() => {
  agent = AGENT
  asked = 0
  onFind = () => undefined
  const notices: Notices = {
    publish: async () => undefined,
    on: (_topic, listener) => {
      tell = listener
    },
    onReset: (listener) => {
      reset = listener
    },
    start: async () => undefined,
    stop: async () => undefined,
  }
  const getShown = async (_agentId: string, orgIds: readonly string[]) => {
    const found = agent
    onFind()
    if (found?.visibility === 'private' && orgIds.includes(found.orgId)) return { agent: found }
    if (found?.visibility === 'public') return { agent: found }
    throw new Problem('agent_not_found', 'No such agent.')
  }
  views = createViews({ clock, notices, agents: { getShown } })
})

const look = async (orgIds: string[] = [], keep = true) => {
  const { made } = await views.view('agent-1', orgIds, 'score', async () => {
    asked += 1
    return { made: asked, keep }
  })
  return made
}
const change = (visibility: RatedAgent['visibility'] | 'archived') => {
  agent = visibility === 'archived' ? undefined : { ...AGENT, visibility }
  tell('agent-1')
}

describe('a view', () => {
  it('is made once, until something is heard of its agent, of all, or the line was down', async () => {
    expect([await look(), await look()]).toEqual([1, 1])
    tell('agent-2')
    expect(await look()).toBe(1)
    tell('agent-1')
    expect(await look()).toBe(2)
    tell('*')
    expect(await look()).toBe(3)
    reset()
    expect(await look()).toBe(4)
  })

  it('ends after a minute in any case', async () => {
    await look()
    clock.advance(59_999)
    expect(await look()).toBe(1)
    clock.advance(1)
    expect(await look()).toBe(2)
  })

  it('that counts live is made every time', async () => {
    expect([await look([], false), await look([], false)]).toEqual([1, 2])
  })

  it('is not kept when the agent was hidden while it was looked up or described', async () => {
    onFind = () => change('private')
    await look()
    onFind = () => undefined
    await expect(look()).rejects.toMatchObject({ code: 'agent_not_found' })
    agent = AGENT
    await views.view('agent-1', [], 'score', async () => {
      change('archived')
      return { made: 'old', keep: true }
    })
    await expect(look()).rejects.toMatchObject({ code: 'agent_not_found' })
  })

  it('of a private agent is for its organisation alone, from memory as well', async () => {
    change('private')
    expect(await look(['org-2', 'org-1'])).toBe(1)
    expect(await look(['org-1'])).toBe(1)
    await expect(look(['org-2'])).rejects.toMatchObject({ code: 'agent_not_found' })
    await expect(look()).rejects.toMatchObject({ code: 'agent_not_found' })
  })
})
