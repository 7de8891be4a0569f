import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { MINUTE_MS, SECOND_MS } from '../../../kernel/clock.ts'
import { createLifecycle } from '../../../kernel/lifecycle.ts'
import { type AuditWorld, auditWorld } from './auditor.fixture.ts'
import { createAuditorFeature } from './feature.ts'

let w: AuditWorld

beforeAll(async () => {
  w = await auditWorld()
  for (const agentId of ['agent-a', 'agent-b', 'agent-c']) await w.newAgent(agentId, 3)
})

const faultsCounted = async () =>
  (await w.t.app.kernel.metrics.chainFaults.get()).values.map(({ value }) => value)

async function pass(minutes: number): Promise<void> {
  w.clock.advance(minutes * MINUTE_MS)
  await w.t.app.kernel.schedules.fireDue()
  await w.t.settle()
}

const auditedAgents = async () => {
  const found = await sql<{ agent_id: string }>`
    select agent_id from chain_audit where audited_at is not null order by 1`.execute(w.db)
  return found.rows.map((row) => row.agent_id)
}

describe('the service', () => {
  it('walks every chain within five minutes and counts a broken one once', async () => {
    await pass(5)
    expect(await auditedAgents()).toEqual(['agent-a', 'agent-b', 'agent-c'])
    expect(await faultsCounted()).toEqual([0])
    await w.tamper(sql`delete from certificate where agent_id = 'agent-b' and position = 1`)
    await pass(60)
    expect(await w.row('agent-b')).toMatchObject({ fault_position: 1, fault_what: 'certificate' })
    expect(await faultsCounted()).toEqual([1])
    await pass(60)
    expect(await faultsCounted()).toEqual([1])
  })
})

describe('a run', () => {
  it('continues in short steps, so that other work can run, until nothing is due', async () => {
    await sql`delete from chain_audit`.execute(w.db)
    const { sliceFrom, agentsAfter, rowsAt } = w.deps.checkpoints
    const { jobs } = w.t.app.kernel
    const slow = createAuditorFeature(
      {
        ...w.deps,
        jobs,
        checkpoints: {
          agentsAfter,
          rowsAt,
          sliceFrom: (...slice) => {
            w.clock.advance(2 * SECOND_MS)
            return sliceFrom(...slice)
          },
        },
      },
      createLifecycle(),
    )
    await slow.run()
    expect((await auditedAgents()).length).toBeLessThan(3)
    await w.t.settle()
    expect(await auditedAgents()).toEqual(['agent-a', 'agent-b', 'agent-c'])
  })

  it('ends when later runs have taken over', async () => {
    await sql`delete from chain_audit`.execute(w.db)
    const { sliceFrom, agentsAfter, rowsAt } = w.deps.checkpoints
    const { jobs } = w.t.app.kernel
    const stuck = createAuditorFeature(
      {
        ...w.deps,
        jobs,
        checkpoints: {
          agentsAfter,
          rowsAt,
          sliceFrom: (...slice) => {
            w.clock.advance(15 * MINUTE_MS)
            return sliceFrom(...slice)
          },
        },
      },
      createLifecycle(),
    )
    await stuck.run()
    const left = await sql`select 1 from job where kind = 'chain_audit.step'`.execute(w.db)
    expect(left.rows).toEqual([])
  })
})
