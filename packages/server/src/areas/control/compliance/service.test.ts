import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { anAmendment, aReclassification, aSnapshot, aViolation } from './compliance.fixture.ts'
import type { Records } from './ports.ts'
import type { Snapshot, Violation } from './records.ts'
import { type ComplianceDeps, createComplianceService, type ExportRequest } from './service.ts'

const END = { reclassification: null, commentNumber: 3, cardVersion: 2, chainLength: 9 }

type Placed = Violation & { position: number }

const violations = (count: number): Placed[] =>
  Array.from({ length: count }, (_, position) => ({
    ...aViolation({ checkpointId: `ic-${position}` }),
    position,
  }))

/** Stub services with `count` violations, which count how often they are read. */
function world(count: number, changes: Partial<ComplianceDeps> = {}) {
  const all = violations(count)
  const seen = { reads: 0, audits: 0, broken: [] as unknown[], ends: [] as unknown[] }
  const weeks = [aSnapshot({ weekStart: '2026-02-22' }), aSnapshot({ score: 1 })]
  const records: Records = {
    recordsEnd: async () => END,
    async violationsAfter({ end }, after, limit) {
      seen.reads += 1
      seen.ends.push(end)
      const from = after === undefined ? 0 : after.position + 1
      return all.slice(from, from + limit)
    },
    reclassificationsAfter: async () => [aReclassification()],
    amendmentsAfter: async () => [anAmendment()],
  }
  const deps: ComplianceDeps = {
    clock: testClock(),
    records,
    scores: {
      latestWeek: async () => aSnapshot({ score: 750 }),
      weeksAfter: async ({ throughWeek }) =>
        weeks.filter((week: Snapshot) => week.weekStart <= throughWeek),
    },
    auditor: {
      async verifyTail() {
        seen.audits += 1
        return { valid: false }
      },
    },
    onBroken: (err) => void seen.broken.push(err),
    ...changes,
  }
  return { service: createComplianceService(deps), seen, records }
}

const wanted = (changes: Partial<ExportRequest> = {}): ExportRequest => ({
  agentId: 'agent-1',
  from: undefined,
  to: undefined,
  format: 'json',
  section: 'violations',
  ...changes,
})

async function textOf(texts: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const one of texts) text += one
  return text
}

describe('a compliance export', () => {
  it.each([0, 1, 199, 200, 201, 1300])(
    'contains each of %i violations once, in order',
    async (count) => {
      const { service, seen } = world(count)
      const { texts } = await service.export(wanted())
      const { violations } = JSON.parse(await textOf(texts))
      expect(violations.map((one: { checkpoint_id: string }) => one.checkpoint_id)).toEqual(
        Array.from({ length: count }, (_, at) => `ic-${at}`),
      )
      expect(seen.ends.every((end) => end === END)).toBe(true)
    },
  )

  it('reads exactly one slice ahead of the consumer', async () => {
    const { service, seen } = world(5000)
    const { texts } = await service.export(wanted())
    const taken = texts[Symbol.asyncIterator]()
    expect(seen.reads).toBe(0)
    await taken.next()
    expect(seen.reads).toBe(2)
    await taken.next()
    expect(seen.reads).toBe(3)
    await taken.return?.()
    expect(seen).toMatchObject({ reads: 3, broken: [] })
  })

  it('shows the current week as it was when the export began', async () => {
    const { service } = world(0)
    const { score_history } = JSON.parse(await textOf((await service.export(wanted())).texts))
    expect(score_history).toMatchObject([
      { week_start: '2026-02-22', score: 750 },
      { week_start: '2026-03-01', score: 750 },
    ])
  })

  it('says whether the chain is valid, and verifies it only if the format shows that', async () => {
    const { service, seen } = world(1)
    const { texts } = await service.export(wanted())
    expect(JSON.parse(await textOf(texts)).integrity_chain_valid).toBe(false)
    const table = await service.export(wanted({ format: 'csv', section: 'score_history' }))
    expect((await textOf(table.texts)).split('\r\n')).toHaveLength(4)
    expect(seen).toMatchObject({ audits: 1, reads: 1 })
  })

  it('aborts and reports a slice that cannot be read, instead of looking complete', async () => {
    const { records } = world(700)
    const lost = new Error('the database is unavailable')
    const failing: Records = {
      ...records,
      violationsAfter: (span, after, limit) =>
        after === undefined ? records.violationsAfter(span, after, limit) : Promise.reject(lost),
    }
    const { service, seen } = world(0, { records: failing })
    const { texts } = await service.export(wanted({ format: 'ndjson' }))
    await expect(textOf(texts)).rejects.toBe(lost)
    expect(seen.broken).toEqual([lost])
  })
})
