import { type RawBuilder, sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AuditWorld, auditWorld } from './auditor.fixture.ts'
import { planOf } from './sample.ts'
import { type AuditService, createAuditService } from './service.ts'

const AGENT = 'agent-present'
/** A tenth of the sizes of the specification, because each checkpoint is signed and stored. */
const planSizes = { sampled: 20, tailMax: 100 }
const AUDITED = 60
const TAIL = 10
const LENGTH = AUDITED + TAIL
/** One of the 60 checkpoints of the last audit, of which 20 are in a sample. */
const OLD = 32

let w: AuditWorld
let service: AuditService
let putBack: () => Promise<void>

beforeAll(async () => {
  w = await auditWorld()
  service = createAuditService({ ...w.deps, planSizes })
  await w.newAgent(AGENT, AUDITED)
  await w.walkNow(AGENT)
  await sql`create table kept_audit as select * from chain_audit`.execute(w.db)
  await w.ingest(AGENT, AUDITED, TAIL)
  putBack = await w.keep()
})

beforeEach(() => restore())

/** The state after an audit that ended before the tail was stored. */
async function restore(): Promise<void> {
  await putBack()
  await sql`insert into chain_audit select * from kept_audit`.execute(w.db)
}

const at = (position: number) => sql`agent_id = ${AGENT} and position = ${position}`

async function verify() {
  const { status, checked } = await service.verifyPresent(AGENT)
  const plan = planOf({ length: LENGTH, audited: AUDITED, seed: checked.seed }, planSizes)
  return { valid: status.valid, fault: status.fault, checked, plan }
}

/** Repeats the change on restored rows until an answer's sample does or does not contain it. */
async function verifyUntil(isSampled: boolean, change: RawBuilder<unknown>) {
  for (;;) {
    await restore()
    await w.tamper(change)
    const answer = await verify()
    expect(answer.valid).toBe(!answer.plan.sampled.includes(OLD))
    if (answer.plan.sampled.includes(OLD) === isSampled) return answer
  }
}

describe('the present state', () => {
  it('rests on the tail after the audit and a sample, which the seed repeats', async () => {
    const { valid, checked, plan } = await verify()
    expect(valid).toBe(true)
    expect(checked).toMatchObject({ sinceAudit: TAIL, unchecked: 0, sampled: planSizes.sampled })
    expect(plan.sampled).toHaveLength(planSizes.sampled)
    expect((await verify()).checked.seed).not.toBe(checked.seed)
  })

  it.each([
    [
      'the verdict',
      'record_hash',
      sql`update checkpoint set verdict = case verdict when 'clear' then 'review_needed' else 'clear' end
      where ${at(LENGTH - 5)}`,
    ],
    [
      'the link',
      'previous_hash',
      sql`update checkpoint set previous_hash = record_hash
      where ${at(LENGTH - 5)}`,
    ],
    [
      'the chain',
      'chain_hash',
      sql`update checkpoint set chain_hash = record_hash
      where ${at(LENGTH - 5)}`,
    ],
    [
      'the signature',
      'certificate',
      sql`update certificate
      set signature = set_byte(signature, 3, get_byte(signature, 3) # 1) where ${at(LENGTH - 5)}`,
    ],
    [
      'the index',
      'owner',
      sql`delete from checkpoint_owner where checkpoint_id =
      (select checkpoint_id from checkpoint where ${at(LENGTH - 5)})`,
    ],
    ['the row', 'position', sql`delete from checkpoint where ${at(LENGTH - 5)}`],
  ])('fails at once if %s of the tail is changed', async (_, what, change) => {
    await w.tamper(change)
    const { valid, fault } = await verify()
    expect(valid).toBe(false)
    expect(fault).toMatchObject({ position: LENGTH - 5, what })
    expect(w.faults).toHaveLength(1)
    expect((await verify()).valid).toBe(false)
  })

  it('fails at once for a changed row of the sample, and finds no other one', async () => {
    const change = sql`update checkpoint set reasoning_summary = 'other' where ${at(OLD)}`
    const sampled = await verifyUntil(true, change)
    expect(sampled.fault).toMatchObject({ position: OLD, what: 'record_hash' })
    expect((await verifyUntil(false, change)).fault).toBeNull()
  })

  it('of a changed row outside both is found by a walk over everything', async () => {
    const change = sql`update checkpoint set reasoning_summary = 'other' where ${at(OLD)}`
    expect((await verifyUntil(false, change)).valid).toBe(true)
    expect(await w.walkNow(AGENT)).toMatchObject({
      valid: false,
      fault: { position: OLD, what: 'record_hash' },
    })
    expect((await verify()).valid).toBe(false)
  })
})

describe('the present state of a chain with a long tail', () => {
  const BUSY = 'agent-busy'
  const UNAUDITED = 125

  it('rests on the newest checkpoints and a sample of those before, and counts the rest', async () => {
    const busy = await auditWorld()
    const busyService = createAuditService({ ...busy.deps, planSizes })
    await busy.newAgent(BUSY, UNAUDITED)
    const keep = await busy.keep()
    const changeAt = (position: number) => sql`update checkpoint set reasoning_summary = 'other'
      where agent_id = ${BUSY} and position = ${position}`
    const present = async () => (await busyService.verifyPresent(BUSY)).status
    const { status, checked } = await busyService.verifyPresent(BUSY)
    expect(status.valid).toBe(true)
    // The sample is of the 25 before the tail, all of them stored since the audit.
    expect(checked).toMatchObject({
      sinceAudit: 100 + 20,
      unchecked: 5,
      sampled: 0,
      auditedAt: null,
    })
    await busy.tamper(changeAt(UNAUDITED - planSizes.tailMax))
    expect(await present()).toMatchObject({
      valid: false,
      fault: { position: UNAUDITED - planSizes.tailMax, what: 'record_hash' },
    })
    // Outside the tail, only a sample that contains the row shows it.
    for (let found = new Set<boolean>(); found.size < 2; ) {
      await keep()
      await busy.tamper(changeAt(7))
      const answer = await busyService.verifyPresent(BUSY)
      const { seed } = answer.checked
      const plan = planOf({ length: UNAUDITED, audited: 0, seed }, planSizes)
      expect(answer.status.valid).toBe(!plan.sampled.includes(7))
      found = found.add(answer.status.valid)
    }
  })
})
