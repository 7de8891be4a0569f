import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'
import { createHistoryService, type HistoryWindow } from './history-service.ts'

let w: ScoreWorld

beforeAll(async () => {
  w = await scoreWorld()
})

const historyOf = async (agentId: string) => {
  const now = w.t.clock.now()
  const window: HistoryWindow = { now, violationDays: 180, violationDateDays: 90, criticalDays: 2 }
  const [one] = await createHistoryService(w.t.app.kernel).checkpointHistory([agentId], window)
  return one
}

/** A violation that many hours ago, without a concern if there is no severity. */
const at = (hours: number, severity?: string) => ({
  hours,
  sessionId: 's',
  ...(severity === undefined ? {} : { severity }),
})

describe('the checkpoint history of an agent', () => {
  it('is empty before its first checkpoint', async () => {
    const agentId = await w.newAgent()
    expect(await historyOf(agentId)).toEqual({
      agentId,
      scoredCount: 0,
      root: null,
      violations: [],
      violationDates: [],
    })
    expect(await historyOf('nobody')).toBeUndefined()
  })

  it('lists violations newest first with the worst severity, high without a concern', async () => {
    const agentId = await w.agentWith({
      clear: 10,
      violations: [at(24 * 100, 'low'), at(1), at(24, 'critical'), at(24 * 180, 'high')],
    })
    const { rows } = await sql<{ position: number }>`select position from checkpoint
      where agent_id = ${agentId} and concerns @> '[{"severity": "critical"}]'`.execute(
      w.t.app.kernel.db,
    )
    expect(rows).toHaveLength(1)
    const history = await historyOf(agentId)
    expect(history?.violations.map(({ severity }) => severity)).toEqual(['high', 'critical', 'low'])
    expect(history?.violationDates.toSorted()).toEqual(['2026-02-28', '2026-03-01'])
    expect(history).toMatchObject({
      scoredCount: 14,
      root: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it('omits card gaps, applied to scores or not', async () => {
    const agentId = await w.agentWith({
      clear: 10,
      violations: [{ ...at(1, 'critical'), cardGap: true }, at(2, 'low')],
    })
    expect((await historyOf(agentId))?.violations).toHaveLength(1)
  })

  it('is bounded, but always has the last critical violation and all days', async () => {
    const many = Array.from({ length: 1200 }, (_, n) => at(n / 100, 'low'))
    const violations = [...many, at(30, 'critical'), at(24 * 50, 'low')]
    const agentId = await w.agentWith({ clear: 10, violations })
    const history = await historyOf(agentId)
    expect(history?.violations).toHaveLength(1001)
    expect(history?.violations.at(-1)).toMatchObject({ severity: 'critical' })
    expect(history?.violationDates.toSorted()).toEqual(['2026-01-10', '2026-02-28', '2026-03-01'])
  })
})
