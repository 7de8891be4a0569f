import type { Client } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { createGatekeeper } from './gatekeeper.ts'

describe('a gatekeeper', () => {
  it('refuses arguments that have no canonical form, and with --fail-open, too', async () => {
    let asked = 0
    const request = () => {
      asked += 1
      return Promise.reject(new Error('away'))
    }
    const ask = createGatekeeper({
      client: { request } as unknown as Client,
      ...{ agent: 'desk', session: 's-1', transaction: undefined, failOpen: true, timeoutMs: 100 },
      ...{ now: () => new Date(), prepare: async () => undefined, note: () => undefined },
    })
    const question = { tool: 'mcp__shop__refund', thinking: undefined }
    const ruling = await ask({ ...question, arguments: { note: '\ud800' } })
    expect(ruling).toMatchObject({ allowed: false, result: { isError: true } })
    expect(asked).toBe(0)
    expect(await ask({ ...question, arguments: {} })).toMatchObject({ allowed: true })
  })
})
