import { createClient } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { actionsFor, createActionNames } from './action-names.ts'

const MAPPINGS = {
  zeta: { tools: ['mcp__shop__refund'], card_actions: ['z'] },
  alpha: { tools: ['mcp__shop__*'], card_actions: ['serve', 'refund'] },
}

describe('actionsFor', () => {
  it('uses the alphabetically first capability that maps the tool', () => {
    expect(actionsFor('mcp__shop__refund', MAPPINGS)).toEqual(['serve', 'refund'])
    expect(actionsFor('mcp__mail__send', MAPPINGS)).toEqual([])
  })
})

describe('createActionNames', () => {
  function createNames(answers: (() => Response)[]) {
    let requests = 0
    let nowMs = 0
    const fetch = async () => {
      const answer = answers[requests]
      requests += 1
      if (answer === undefined) throw new TypeError('fetch failed')
      return answer()
    }
    const client = createClient({ baseUrl: 'http://service.test', retries: 0, fetch })
    const names = createActionNames(client, 'desk', () => new Date(nowMs))
    return { names, requests: () => requests, wait: (ms: number) => (nowMs += ms) }
  }
  const found = () => Response.json({ resolved_policy: { capability_mappings: MAPPINGS } })

  it('caches the mappings for one minute', async () => {
    const { names, requests, wait } = createNames([found, found])
    await Promise.all([names('mcp__shop__refund'), names('mcp__mail__send')])
    expect(await names('mcp__shop__list')).toEqual(['serve', 'refund'])
    expect(requests()).toBe(1)
    wait(60_000)
    await names('mcp__shop__list')
    expect(requests()).toBe(2)
  })

  it('returns no actions without a policy, and retries after a failed request', async () => {
    const missing = () => Response.json({ error: 'not_found', message: 'No.' }, { status: 404 })
    expect(await createNames([missing]).names('mcp__shop__refund')).toEqual([])
    const failing = () =>
      Response.json({ error: 'internal_error', message: 'No.' }, { status: 503 })
    const { names } = createNames([failing, found])
    await expect(names('mcp__shop__refund')).rejects.toThrow('No.')
    expect(await names('mcp__shop__refund')).toEqual(['serve', 'refund'])
  })
})
