import { type RawBuilder, sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AuditWorld, auditWorld } from './auditor.fixture.ts'
import { planOf } from './sample.ts'

const AGENT = 'agent-present'
const AUDITED = 600
const TAIL = 40
const LENGTH = AUDITED + TAIL
/** One of the 600 checkpoints of the last audit, of which 200 are in a sample. */
const OLD = 321

let w: AuditWorld
let putBack: () => Promise<void>

beforeAll(async () => {
  w = await auditWorld()
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
  const { status, checked } = await w.service.verifyPresent(AGENT)
  const plan = planOf({ length: LENGTH, audited: AUDITED, seed: checked.seed })
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
  it('rests on the tail after the audit and a sample of 200, which the seed repeats', async () => {
    const { valid, checked, plan } = await verify()
    expect(valid).toBe(true)
    expect(checked).toMatchObject({ sinceAudit: TAIL, unchecked: 0, sampled: 200 })
    expect(plan.sampled).toHaveLength(200)
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
