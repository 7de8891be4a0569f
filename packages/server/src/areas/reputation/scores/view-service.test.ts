import { beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { NoPrimary } from '../../../database/primary.ts'
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
let notify: (key: string) => void
let reset: () => void
/** Called during the lookup of the agent. */
let onFind: () => void
let built: number
let views: ReturnType<typeof createViews>

beforeEach(() => {
  agent = AGENT
  built = 0
  onFind = () => undefined
  const notices: Notices = {
    publish: async () => undefined,
    on: (_topic, listener) => {
      notify = listener
    },
    isLive: () => true,
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
    built += 1
    return { made: built, keep }
  })
  return made
}
const change = (visibility: RatedAgent['visibility'] | 'archived') => {
  agent = visibility === 'archived' ? undefined : { ...AGENT, visibility }
  notify('agent-1')
}

describe('view', () => {
  it('caches a view until a notice about its agent or all agents, or a lost connection', async () => {
    expect([await look(), await look()]).toEqual([1, 1])
    notify('agent-2')
    expect(await look()).toBe(1)
    notify('agent-1')
    expect(await look()).toBe(2)
    notify('*')
    expect(await look()).toBe(3)
    reset()
    expect(await look()).toBe(4)
  })

  it('caches a view for at most a minute', async () => {
    await look()
    clock.advance(59_999)
    expect(await look()).toBe(1)
    clock.advance(1)
    expect(await look()).toBe(2)
  })

  it('rebuilds a view every time if it must not be kept', async () => {
    expect([await look([], false), await look([], false)]).toEqual([1, 2])
  })

  it('does not cache a view if the agent was hidden during the lookup or the build', async () => {
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

  it('shows a private agent to its organisation only, also from the cache', async () => {
    change('private')
    expect(await look(['org-2', 'org-1'])).toBe(1)
    expect(await look(['org-1'])).toBe(1)
    await expect(look(['org-2'])).rejects.toMatchObject({ code: 'agent_not_found' })
    await expect(look()).rejects.toMatchObject({ code: 'agent_not_found' })
  })

  describe('while the database cannot be asked', () => {
    const lookDuringOutage = async (orgIds: string[] = []) => {
      reset()
      onFind = () => {
        throw new NoPrimary('none')
      }
      return views.view('agent-1', orgIds, 'score', async () => ({ made: 'new', keep: true }))
    }

    it('shows the last view with its age, for ten minutes', async () => {
      await look()
      clock.advance(90_000)
      expect(await lookDuringOutage()).toEqual({ made: 1, isPrivate: false, staleMs: 90_000 })
      clock.advance(510_000)
      await expect(lookDuringOutage()).rejects.toThrow(NoPrimary)
    })

    it('shows none that is known to have changed, and private ones to their organisation', async () => {
      await look()
      notify('agent-1')
      await expect(lookDuringOutage()).rejects.toThrow(NoPrimary)
      onFind = () => undefined
      change('private')
      await look(['org-1'])
      expect(await lookDuringOutage(['org-1'])).toMatchObject({ made: 2, isPrivate: true })
      await expect(lookDuringOutage()).rejects.toThrow(NoPrimary)
    })
  })
})
