import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SYSTEM_ACTOR } from '../../../audit.ts'
import { HOUR_MS, later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type AuditWorld, auditWorld } from './auditor.fixture.ts'
import type { Checkpoints } from './ports.ts'
import { createAuditService } from './service.ts'
import { createAuditStore } from './store.ts'

let w: AuditWorld
let agents = 0

beforeAll(async () => {
  w = await auditWorld()
})

beforeEach(async () => {
  w.faults.length = 0
  // Deletes the chains of earlier tests, so that their faults are not found again.
  await sql`delete from chain_head`.execute(w.db)
  await sql`delete from chain_audit`.execute(w.db)
})

async function newAgent(count: number): Promise<string> {
  agents += 1
  const agentId = `agent-${agents}`
  await w.newAgent(agentId, count)
  return agentId
}

/** A second process on the same database that reports its reads and can be blocked at them. */
function otherProcess(onRead: (agentId: string, position: number) => unknown = () => undefined) {
  const reads: [string, number][] = []
  const checkpoints: Checkpoints = {
    agentsAfter: w.deps.checkpoints.agentsAfter,
    rowsAt: w.deps.checkpoints.rowsAt,
    sliceFrom: async (agentId, position, limit) => {
      reads.push([agentId, position])
      const slice = await w.deps.checkpoints.sliceFrom(agentId, position, limit)
      await onRead(agentId, position)
      return slice
    },
  }
  return { ...createAuditService({ ...w.deps, checkpoints }), reads }
}

const soon = () => later(w.clock.now(), MINUTE_MS)
const change = (agentId: string, position: number) =>
  w.tamper(sql`update checkpoint set reasoning_summary = reasoning_summary || '.'
    where agent_id = ${agentId} and position = ${position}`)

/** All chains have been walked and are not due for 50 minutes. */
async function walkAll(): Promise<void> {
  await w.service.enrol()
  expect(await w.service.auditDue(soon())).toBe(false)
}

describe('a chain', () => {
  it('is valid and walked through its last checkpoint', async () => {
    const agentId = await newAgent(12)
    expect(await w.service.status(agentId)).toEqual({
      valid: true,
      auditedThrough: null,
      auditedAt: null,
      fault: null,
      full: null,
    })
    await walkAll()
    const status = {
      valid: true,
      auditedThrough: 11,
      auditedAt: w.clock.now(),
      fault: null,
      full: null,
    }
    expect(await w.service.status(agentId)).toEqual(status)
    expect(await w.row(agentId)).toMatchObject({ result: 'intact', position: 0, leased_by: null })
  })

  it('is walked again after 50 minutes, including new checkpoints', async () => {
    const agentId = await newAgent(5)
    await walkAll()
    await w.ingest(agentId, 5, 4)
    w.clock.advance(50 * MINUTE_MS)
    await walkAll()
    expect(await w.service.status(agentId)).toMatchObject({ auditedThrough: 4 })
    w.clock.advance(1)
    await walkAll()
    const status = { valid: true, auditedThrough: 8, auditedAt: w.clock.now() }
    expect(await w.service.status(agentId)).toMatchObject(status)
  })

  it('can be empty', async () => {
    const agentId = await newAgent(0)
    await walkAll()
    const status = { valid: true, auditedThrough: null, auditedAt: w.clock.now() }
    expect(await w.service.status(agentId)).toMatchObject(status)
    await w.ingest(agentId, 0, 3)
    expect(await w.service.verifyTail(agentId)).toMatchObject({ valid: true })
    expect(await w.walkNow(agentId)).toMatchObject({ valid: true, auditedThrough: 2 })
  })

  it('stays valid while checkpoints are appended during every kind of walk', async () => {
    const agentId = await newAgent(0)
    await w.service.enrol()
    let writing = true
    const write = async () => {
      for (let from = 0; from < 240; from += 20) await w.ingest(agentId, from, 20)
      writing = false
    }
    const walk = async (kind: () => Promise<unknown>) => {
      while (writing) await kind()
    }
    await Promise.all([
      write(),
      walk(() => w.service.auditSlice(agentId, 7)),
      walk(() => w.walkNow(agentId)),
      walk(() => w.service.verifyTail(agentId)),
    ])
    expect(w.faults).toEqual([])
    expect(await w.walkNow(agentId)).toMatchObject({ valid: true, auditedThrough: 239 })
  })
})

describe('a walk', () => {
  it('resumes at its slice after a restart, and then begins again', async () => {
    const agentId = await newAgent(25)
    await w.service.enrol()
    expect(await w.service.auditSlice(agentId, 10)).toBe('going')
    expect(await w.row(agentId)).toMatchObject({ position: 10, audited_at: null, leased_by: null })
    const restarted = otherProcess()
    expect(await restarted.auditSlice(agentId, 10)).toBe('going')
    expect(await restarted.auditSlice(agentId, 10)).toBe('ended')
    expect(restarted.reads).toEqual([
      [agentId, 10],
      [agentId, 20],
    ])
    expect(await w.service.status(agentId)).toMatchObject({ valid: true, auditedThrough: 24 })
    await change(agentId, 3)
    expect(await w.service.auditSlice(agentId, 10)).toBe('ended')
    expect(w.faults).toEqual([{ agentId, position: 3, what: 'record_hash' }])
  })

  it('finds in its next slice that the chain was truncated behind it', async () => {
    const agentId = await newAgent(25)
    await w.service.enrol()
    await w.service.auditSlice(agentId, 20)
    await w.tamper(sql`delete from checkpoint where agent_id = ${agentId} and position > 9`)
    await w.tamper(sql`update chain_head set length = 10 where agent_id = ${agentId}`)
    await w.service.auditSlice(agentId, 20)
    expect(w.faults).toEqual([{ agentId, position: 20, what: 'head' }])
  })

  it('is leased to one walker at a time', async () => {
    const agentId = await newAgent(6)
    await w.service.enrol()
    const others: string[] = []
    const first = otherProcess(async () => {
      others.push(await w.service.auditSlice(agentId, 2))
    })
    expect(await first.auditSlice(agentId, 3)).toBe('going')
    expect(others).toEqual(['busy'])
  })

  it('is taken over from a crashed walker, whose late results are ignored', async () => {
    const agentId = await newAgent(6)
    await w.service.enrol()
    const slow = otherProcess(async () => {
      w.clock.advance(2 * MINUTE_MS + 1)
      expect(await w.service.auditSlice(agentId, 4)).toBe('going')
    })
    await slow.auditSlice(agentId, 2)
    expect(await w.row(agentId)).toMatchObject({ position: 4 })
  })
})

describe('due chains', () => {
  it('are shared by concurrent walkers, each chain walked by one', async () => {
    const ids: string[] = []
    for (let n = 0; n < 8; n += 1) ids.push(await newAgent(4))
    const one = otherProcess()
    const other = otherProcess()
    await one.enrol()
    await Promise.all([one.auditDue(soon()), other.auditDue(soon())])
    const walked = [...one.reads, ...other.reads].map(([agentId]) => agentId)
    expect(walked).toHaveLength(new Set(walked).size)
    expect(walked).toEqual(expect.arrayContaining(ids))
    expect(one.reads.length).toBeGreaterThan(0)
    expect(other.reads.length).toBeGreaterThan(0)
  })

  it('begin with those never walked, then the least recently walked', async () => {
    const [late, early, never] = [await newAgent(1), await newAgent(1), await newAgent(1)]
    await sql`insert into chain_audit (agent_id, audited_at) values
      (${late}, ${later(w.clock.now(), -1 * HOUR_MS)}),
      (${early}, ${later(w.clock.now(), -2 * HOUR_MS)}), (${never}, null)`.execute(w.db)
    const lease = { worker: 'one', now: w.clock.now(), until: soon() }
    const claimed: (string | undefined)[] = []
    for (let n = 0; n < 4; n += 1) {
      claimed.push((await createAuditStore(w.db).claimOldest(w.clock.now(), lease))?.agentId)
    }
    expect(claimed).toEqual([never, early, late, undefined])
  })

  it('are resumed where the last step ran out of time', async () => {
    const agentId = await newAgent(120)
    await w.service.enrol()
    expect(await w.service.auditDue(w.clock.now())).toBe(true)
    const slow = otherProcess(() => w.clock.advance(MINUTE_MS))
    expect(await slow.auditDue(soon())).toBe(true)
    expect(await w.row(agentId)).toMatchObject({ position: 100, leased_by: null })
    const next = otherProcess()
    expect(await next.auditDue(soon())).toBe(false)
    expect(next.reads).toEqual([[agentId, 100]])
    expect(await w.service.status(agentId)).toMatchObject({ valid: true, auditedThrough: 119 })
  })

  it('are walked even if one of them cannot be read', async () => {
    const [unreadable, other] = [await newAgent(1), await newAgent(1)]
    await w.service.enrol()
    const process = otherProcess((agentId) => {
      if (agentId === unreadable) throw new Error('not readable')
    })
    await expect(process.auditDue(soon())).rejects.toThrow('some chains were not walked')
    expect(await w.service.status(other)).toMatchObject({ auditedThrough: 0 })
    expect(await w.service.status(unreadable)).toMatchObject({ auditedAt: null })
  })
})

describe('a fault', () => {
  it('is reported once, and the chain stays invalid even if it is repaired', async () => {
    const agentId = await newAgent(9)
    await change(agentId, 5)
    await walkAll()
    const at = w.clock.now()
    const fault = { position: 5, what: 'record_hash', at }
    const broken = { valid: false, auditedThrough: null, auditedAt: at, fault }
    expect(await w.service.status(agentId)).toMatchObject(broken)
    expect(await w.row(agentId)).toMatchObject({ result: 'broken', position: 0 })
    await change(agentId, 2)
    w.clock.advance(HOUR_MS)
    await walkAll()
    expect(await w.walkNow(agentId)).toEqual({ ...broken, auditedAt: w.clock.now() })
    await w.tamper(sql`update checkpoint set reasoning_summary = rtrim(reasoning_summary, '.') || '.'
      where agent_id = ${agentId} and position in (2, 5)`)
    w.clock.advance(HOUR_MS)
    await walkAll()
    expect(await w.row(agentId)).toMatchObject({ result: 'intact', audited_through: 8 })
    expect(await w.service.verifyTail(agentId)).toMatchObject({ valid: false, fault })
    expect(w.faults).toEqual([{ agentId, position: 5, what: 'record_hash' }])
  })

  it('of one agent does not affect another', async () => {
    const [broken, other] = [await newAgent(3), await newAgent(3)]
    await change(broken, 1)
    await walkAll()
    expect(await w.service.status(other)).toMatchObject({ valid: true, auditedThrough: 2 })
    expect(w.faults.map(({ agentId }) => agentId)).toEqual([broken])
  })
})

describe('a read', () => {
  it('walks only what was appended since the last full walk', async () => {
    const agentId = await newAgent(10)
    await walkAll()
    const walkedAt = w.clock.now()
    await w.ingest(agentId, 10, 5)
    w.clock.advance(MINUTE_MS)
    const process = otherProcess()
    const status = { valid: true, auditedThrough: 9, auditedAt: walkedAt, fault: null, full: null }
    expect(await process.verifyTail(agentId)).toEqual(status)
    expect(process.reads).toEqual([[agentId, 10]])
  })

  it('finds a later change and stores the fault', async () => {
    const agentId = await newAgent(10)
    await walkAll()
    await w.ingest(agentId, 10, 5)
    await change(agentId, 12)
    expect(await w.service.verifyTail(agentId)).toMatchObject({ valid: false, auditedThrough: 9 })
    expect(await w.service.status(agentId)).toMatchObject({ valid: false })
    expect(w.faults).toEqual([{ agentId, position: 12, what: 'record_hash' }])
  })

  it('finds that the chain is shorter than at the last walk', async () => {
    const agentId = await newAgent(10)
    await walkAll()
    await w.tamper(sql`delete from checkpoint where agent_id = ${agentId} and position >= 8`)
    await w.tamper(sql`update chain_head set length = 8 where agent_id = ${agentId}`)
    expect(await w.service.verifyTail(agentId)).toMatchObject({
      valid: false,
      fault: { position: 10, what: 'head' },
    })
  })

  it('of the whole chain finds changes made after the last walk', async () => {
    const agentId = await newAgent(10)
    await walkAll()
    await change(agentId, 0)
    expect(await w.service.verifyTail(agentId)).toMatchObject({ valid: true })
    const fault = { position: 0, what: 'record_hash' }
    expect(await w.walkNow(agentId)).toMatchObject({ valid: false, fault })
    expect(w.faults).toEqual([{ agentId, ...fault }])
  })

  it('of an unknown agent is not found', async () => {
    const unknown = { code: 'agent_not_found' }
    await expect(w.service.verifyTail('agent-unknown')).rejects.toMatchObject(unknown)
    expect(await w.row('agent-unknown')).toBeUndefined()
  })
})

describe('an erasure', () => {
  it('deletes the results and is no fault to a concurrent walk', async () => {
    const agentId = await newAgent(5)
    const erase = async () => {
      await w.evidence.agents.service.requestErasure(agentId, SYSTEM_ACTOR)
      w.clock.advance(31 * 24 * HOUR_MS)
      await w.evidence.agents.service.purge(w.clock.now())
    }
    await w.service.enrol()
    expect(await otherProcess(erase).auditSlice(agentId, 10)).toBe('ended')
    expect(await w.row(agentId)).toBeUndefined()
    expect(w.faults).toEqual([])
    await sql`insert into chain_audit (agent_id) values (${agentId})`.execute(w.db)
    expect(await w.service.auditSlice(agentId, 10)).toBe('ended')
    expect(await w.row(agentId)).toBeUndefined()
    expect(w.faults).toEqual([])
  })
})
