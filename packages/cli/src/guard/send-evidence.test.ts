import { ApiError, type Client } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import type { CallRecord } from './evidence.ts'
import { createEvidenceSender } from './send-evidence.ts'

const AT = new Date('2026-03-01T12:00:00.000Z')

const recordOf = (id: string): CallRecord => ({
  ticket: {
    ...{ tool: `mcp__shop__${id}`, arguments: {}, thinking: undefined },
    ...{ askedAt: AT, decision: undefined, reason: undefined },
  },
  ...{ ending: 'answered', agent: 'desk', session: 's-1', id },
})

/** A service that cannot read a request with one of these in it. */
function world(status: number, ...unreadable: string[]) {
  const taken: string[] = []
  const notes: string[] = []
  let requests = 0
  const request = async (_method: string, path: string, { body }: { body?: object } = {}) => {
    if (!path.endsWith('/batch'))
      throw new ApiError({ status: 404, code: 'no', message: 'none' } as never)
    requests += 1
    const text = JSON.stringify(body)
    if (unreadable.some((id) => text.includes(id))) {
      throw new ApiError({ status, code: 'no', message: 'cannot be read' } as never)
    }
    const { traces = [] } = body as { traces?: { trace_id: string }[] }
    taken.push(...traces.map(({ trace_id }) => trace_id))
    return { rejected: 0, results: [] }
  }
  const client = { request } as unknown as Client
  const note = (line: string) => void notes.push(line)
  const send = createEvidenceSender({ client, agent: 'desk', now: () => AT, note })
  return { send, taken, notes, requests: () => requests }
}

describe('records', () => {
  it.each([400, 413, 422])('are all sent but the one that is answered %i', async (status) => {
    const { send, taken, notes } = world(status, 'r3')
    await send(['r1', 'r2', 'r3', 'r4', 'r5'].map(recordOf))
    expect(taken).toEqual(['tr-r1', 'tr-r2', 'tr-r4', 'tr-r5'])
    expect(notes).toEqual(['1 records were refused: cannot be read'])
  })

  it('are not tried one by one when none of them is at fault', async () => {
    const { send, notes, requests } = world(403, 'r1')
    await send(['r1', 'r2', 'r3'].map(recordOf))
    expect(notes).toEqual(['3 records were refused: cannot be read'])
    expect(requests()).toBe(1)
  })

  it('wait when the service is away', async () => {
    const { send } = world(503, 'r1')
    await expect(send([recordOf('r1')])).rejects.toThrow('cannot be read')
  })
})
