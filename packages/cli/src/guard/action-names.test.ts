import { createClient } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { actionsFor, createActionNames } from './action-names.ts'

const MAPPINGS = {
  zeta: { tools: ['mcp__shop__refund'], card_actions: ['z'] },
  alpha: { tools: ['mcp__shop__*'], card_actions: ['serve', 'refund'] },
}

describe('actionsFor', () => {
  it('takes the first capability by name that maps the tool', () => {
    expect(actionsFor('mcp__shop__refund', MAPPINGS)).toEqual(['serve', 'refund'])
    expect(actionsFor('mcp__mail__send', MAPPINGS)).toEqual([])
  })
})

describe('the names of actions', () => {
  function world(answers: (() => Response)[]) {
    let asked = 0
    let nowMs = 0
    const fetch = async () => {
      const answer = answers[asked]
      asked += 1
      if (answer === undefined) throw new TypeError('fetch failed')
      return answer()
    }
    const client = createClient({ baseUrl: 'http://service.test', retries: 0, fetch })
    const names = createActionNames(client, 'desk', () => new Date(nowMs))
    return { names, asked: () => asked, wait: (ms: number) => (nowMs += ms) }
  }
  const found = () => Response.json({ resolved_policy: { capability_mappings: MAPPINGS } })

  it('are asked for once, and again after a minute', async () => {
    const { names, asked, wait } = world([found, found])
    await Promise.all([names('mcp__shop__refund'), names('mcp__mail__send')])
    expect(await names('mcp__shop__list')).toEqual(['serve', 'refund'])
    expect(asked()).toBe(1)
    wait(60_000)
    await names('mcp__shop__list')
    expect(asked()).toBe(2)
  })

  it('are none where there is no policy, and asked for again where nobody answered', async () => {
    const missing = () => Response.json({ error: 'not_found', message: 'No.' }, { status: 404 })
    expect(await world([missing]).names('mcp__shop__refund')).toEqual([])
    const silent = () => Response.json({ error: 'internal_error', message: 'No.' }, { status: 503 })
    const { names } = world([silent, found])
    await expect(names('mcp__shop__refund')).rejects.toThrow('No.')
    expect(await names('mcp__shop__refund')).toEqual(['serve', 'refund'])
  })
})
