import { verifyBundle } from '@touchstone/protocol/bundle'
import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { createVerificationService, type VerificationDeps } from './service.ts'
import { AGENT, depsOf, evidenceOf, KEYS, publishedOf } from './verification.fixture.ts'

const LENGTH = 1010
const world = evidenceOf(LENGTH)
const published = publishedOf(world, 1000)
const serviceWith = (change: Partial<VerificationDeps> = {}) =>
  createVerificationService({ ...depsOf(world, published), ...change })

async function textsOf(change: Partial<VerificationDeps> = {}): Promise<string[]> {
  const { texts } = await serviceWith(change).bundle(AGENT, [])
  const all: string[] = []
  for await (const text of texts) all.push(text)
  return all
}

describe('bundle', () => {
  it('ends where the evidence of the published score ended', async () => {
    const lines = (await textsOf()).join('').split('\n')
    expect(lines.filter((line) => line.includes('"kind":"checkpoint"'))).toHaveLength(1000)
    expect(await verifyBundle(lines, KEYS)).toMatchObject({ faults: [], ok: true, equal: true })
  })

  it('reads checkpoints from the database only as fast as its reader consumes them', async () => {
    const deps = depsOf(world, published)
    let rows = 0
    const { texts } = await serviceWith({
      checkpoints: {
        ...deps.checkpoints,
        listProvable: async (agentId, from, limit) => {
          rows += limit
          return deps.checkpoints.listProvable(agentId, from, limit)
        },
      },
    }).bundle(AGENT, [])
    const iterator = texts[Symbol.asyncIterator]()
    const seen: number[] = []
    for (let step = await iterator.next(); !step.done; step = await iterator.next()) {
      const got = step.value.match(/"kind":"checkpoint"/g)?.length ?? 0
      if (got > 0) seen.push(rows)
    }
    expect(seen).toEqual([200, 400, 600, 800, 1000])
  })

  it('contains the drift alerts, pair scores and adjustments that the score used', async () => {
    const { computedAt } = published
    const after = new Date(computedAt.getTime() + 1)
    // Two alerts in the counted session, of which the earlier one is kept, and one in another.
    const alerts = [
      { alertId: 'da-0', sessionId: 's', detectedAt: new Date(after.getTime() + 1) },
      { alertId: 'da-1', sessionId: 's', detectedAt: after },
      { alertId: 'da-2', sessionId: 'other', detectedAt: new Date(0) },
    ]
    const text = (
      await textsOf({
        scores: { published: async () => ({ ...published, driftedSessionIds: ['s'] }) },
        drift: { list: async (_agentId, _filter, { page }) => ({ items: page > 1 ? [] : alerts }) },
        coherence: {
          used: async () => ({
            pairScores: [{ peerId: null, scoreE4: 8200, checkedAt: computedAt, acrossOrgs: false }],
            adjustments: [{ adjustmentId: 'adj-1', pointsE4: -50_000, validUntil: after }],
          }),
        },
      })
    ).join('')
    expect(text).toContain('da-1')
    expect(text).not.toMatch(/da-[02]/)
    const { faults } = await verifyBundle(text.split('\n'), KEYS)
    // The published figures differ, so verification reports each mismatch.
    expect(faults.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'basis/sessions/unstable is 0, but the lines give 1',
        'basis/peers/count is 0, but the lines give 1',
        'basis/adjustment_e4 is 0, but the lines give -50000',
      ]),
    )
  })

  it('fails without a trailer, and reports the error, when evidence is missing', async () => {
    const deps = depsOf(world, published)
    const broken: unknown[] = []
    const listProvable: typeof deps.checkpoints.listProvable = async (agentId, from, limit) =>
      from >= 400 ? [] : deps.checkpoints.listProvable(agentId, from, limit)
    const bundle = textsOf({
      checkpoints: { ...deps.checkpoints, listProvable },
      onBroken: (err) => broken.push(err),
    })
    await expect(bundle).rejects.toThrow('at or after position 400')
    expect(broken).toHaveLength(1)
  })

  it('is refused for an agent without a score', async () => {
    for (const none of [undefined, { ...published, score: null }]) {
      const service = createVerificationService(depsOf(world, none))
      const problem = { code: 'ineligible_agent' }
      await expect(service.bundle(AGENT, [])).rejects.toMatchObject(problem)
      await expect(service.verify(AGENT, [])).rejects.toMatchObject(problem)
    }
  })
})

describe('verify', () => {
  it('shares one proof among the callers of ten seconds', async () => {
    const clock = testClock()
    const deps = depsOf(world, published)
    let walks = 0
    const service = serviceWith({
      clock,
      auditor: {
        ...deps.auditor,
        verifyPresent: async (agentId) => {
          walks += 1
          return deps.auditor.verifyPresent(agentId)
        },
      },
    })
    const ask = () => service.verify(AGENT, [])
    await Promise.all([ask(), ask(), ask()])
    await ask()
    expect(walks).toBe(1)
    clock.advance(9_999)
    await ask()
    expect(walks).toBe(1)
    clock.advance(1)
    await ask()
    expect(walks).toBe(2)
  })

  it('tries again after an error, so that a failure is not cached', async () => {
    const deps = depsOf(world, published)
    let fails = true
    const service = serviceWith({
      auditor: {
        ...deps.auditor,
        verifyPresent: async (agentId) => {
          if (fails) throw new Error('no database')
          return deps.auditor.verifyPresent(agentId)
        },
      },
    })
    await expect(service.verify(AGENT, [])).rejects.toThrow('no database')
    fails = false
    expect((await service.verify(AGENT, [])).verified).toBe(true)
  })

  it('reports which check failed to the operator', async () => {
    const reported: unknown[] = []
    const wrong = { ...published, root: '0'.repeat(64) }
    const service = createVerificationService({
      ...depsOf(world, wrong),
      onUnverified: (found) => reported.push(found),
    })
    const proof = await service.verify(AGENT, [])
    expect(proof).toMatchObject({ verified: false, hashChainValid: true, leafCount: LENGTH })
    expect(reported).toEqual([{ agentId: AGENT, failed: ['published_root'] }])
  })
})
