import { describe, expect, it } from 'vitest'
import { Problem } from '../../../kernel/problem.ts'
import type { OtlpDeps } from './service.ts'
import { createOtlpService } from './service.ts'
import type { Tally } from './tally.ts'

const SENT = {
  org: { orgId: 'org-1', accountId: 'acc-1', sentBy: 'key-1' },
  onlyAgent: undefined,
}

function serviceWith(given: Partial<OtlpDeps> = {}) {
  const batches = { checkpoints: [] as number[], traces: [] as number[] }
  const tallies: Tally[] = []
  const service = createOtlpService({
    agents: {
      registeredIds: { find: async (ids: readonly string[]) => ids },
      forIngest: async (_org, ids) => ids.map((agentId) => ({ agentId })),
    },
    checkpoints: {
      ingestAll: async (_org, submissions) => {
        batches.checkpoints.push(submissions.length)
        return submissions.map(() => ({ ok: true, result: { duplicate: false } }))
      },
    },
    traces: {
      ingestAll: async (_org, traces) => {
        batches.traces.push(traces.length)
        return traces.map(() => ({ status: 'created' }))
      },
    },
    onTaken: (_signal, tally) => void tallies.push(tally),
    ...given,
  })
  return { service, batches, tallies }
}

function request(count: number) {
  const attributes = [
    { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
    { key: 'gen_ai.completion', value: { stringValue: 'Done.' } },
    { key: 'gen_ai.agent.name', value: { stringValue: 'agent-1' } },
  ]
  const spans = Array.from({ length: count }, (_, n) => ({
    traceId: 'a'.repeat(32),
    spanId: (n + 1).toString(16).padStart(16, '0'),
    endTimeUnixNano: '1794818997583000000',
    attributes,
  }))
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] }
}

describe('ingesting spans', () => {
  it('ingests 512 spans of a request in batches and rejects the rest', async () => {
    const { service, batches, tallies } = serviceWith()
    const tally = await service.takeSpans(request(515), SENT)
    expect(tally).toMatchObject({ accepted: 512, rejected: 3 })
    expect(tally.message).toMatch(/^3 spans: .*send smaller batches$/)
    expect(batches.checkpoints).toEqual([...Array(10).fill(50), 12])
    expect(batches.traces).toEqual([...Array(5).fill(100), 12])
    expect(tallies).toEqual([tally])
  })

  it('stores no trace of a rejected checkpoint', async () => {
    const problem = new Problem('invalid_request', 'timestamp: must be at most 90 days in the past')
    const { service, batches } = serviceWith({
      checkpoints: { ingestAll: async (_org, all) => all.map(() => ({ ok: false, problem })) },
    })
    const tally = await service.takeSpans(request(2), SENT)
    expect(tally).toMatchObject({ rejected: 2, message: `2 spans: ${problem.message}` })
    expect(batches.traces).toEqual([])
  })

  it('rejects the whole request at the rate limit, so that it is retried', async () => {
    const problem = new Problem('rate_limited', 'Wait.')
    const { service, tallies } = serviceWith({
      checkpoints: { ingestAll: async (_org, all) => all.map(() => ({ ok: false, problem })) },
    })
    await expect(service.takeSpans(request(1), SENT)).rejects.toBe(problem)
    expect(tallies).toEqual([])
  })

  it('reads no agent if no span names one', async () => {
    const { service } = serviceWith({
      agents: {
        registeredIds: { find: async (ids: readonly string[]) => ids },
        forIngest: () => {
          throw new Error('asked for nobody')
        },
      },
    })
    expect(await service.takeSpans({}, SENT)).toMatchObject({
      accepted: 0,
      ignored: 0,
      rejected: 0,
    })
  })
})
