import fc from 'fast-check'
import { type RawBuilder, sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { type AuditWorld, auditWorld } from './auditor.fixture.ts'
import type { What } from './chain-walk.ts'

const AGENT = 'agent-audited'
const LENGTH = 44

let w: AuditWorld
let putBack: () => Promise<void>

beforeAll(async () => {
  w = await auditWorld()
  await w.newAgent(AGENT, LENGTH)
  putBack = await w.keep()
})

beforeEach(() => putBack())

async function faultAfter(change: RawBuilder<unknown>) {
  await w.tamper(change)
  const { valid, fault } = await w.walkNow(AGENT)
  expect(valid).toBe(fault === null)
  expect(w.faults).toHaveLength(valid ? 0 : 1)
  return fault && { position: fault.position, what: fault.what }
}

const at = (position: number) => sql`agent_id = ${AGENT} and position = ${position}`

const set = (column: string, value: RawBuilder<unknown>, position: number) =>
  sql`update checkpoint set ${sql.ref(column)} = ${value} where ${at(position)}`

/** Replaces the character at an index derived from the number. */
function otherText(column: string, number: number) {
  const text = sql.ref(column)
  const place = sql`(${number} % length(${text}) + 1)`
  return sql`overlay(${text} placing
    case substring(${text} from ${place} for 1) when '~' then '!' else '~' end
    from ${place} for 1)`
}

/** Flips one bit. */
function otherBytes(column: string, number: number) {
  const bytes = sql.ref(column)
  const place = sql`(${number} % length(${bytes}))`
  const mask = 2 ** (number % 8)
  return sql`set_byte(${bytes}, ${place}, get_byte(${bytes}, ${place}) # ${mask})`
}

const TEXTS = [
  'checkpoint_id',
  'session_id',
  'card_id',
  'reasoning_summary',
  'analysis_model',
  'template_version',
]
const INPUT_HASHES = ['thinking_hash', 'output_hash', 'card_hash', 'values_hash', 'context_hash']

const number = fc.nat(1023)
const anywhere = fc.nat(LENGTH - 1)
/** A checkpoint with an output and a previous link. */
const withOutput = fc.integer({ min: 1, max: 14 }).map((n) => 3 * n)

describe('the intact chain', () => {
  it('is valid and contains what the changes below need', async () => {
    expect(await w.walkNow(AGENT)).toEqual({
      valid: true,
      auditedThrough: LENGTH - 1,
      auditedAt: w.clock.now(),
      fault: null,
    })
    const found = await sql<Record<string, number>>`
      select count(*) filter (where synthetic_reason is not null) as synthetic,
        count(*) filter (where jsonb_array_length(concerns) > 0) as concerned,
        count(output_hash) as outputs
      from checkpoint where agent_id = ${AGENT}`.execute(w.db)
    expect(found.rows[0]).toEqual({ synthetic: 11, concerned: 7, outputs: 15 })
  })
})

describe('a change of one byte', () => {
  it('of any attested text is found at its checkpoint', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...TEXTS), anywhere, number, async (column, place, n) => {
        await putBack()
        const fault = await faultAfter(set(column, otherText(column, n), place))
        expect(fault).toEqual({ position: place, what: 'record_hash' })
      }),
      runs(60),
    )
  })

  it('of any hash of the inputs is found at its checkpoint', async () => {
    const column = fc.constantFrom(...INPUT_HASHES)
    await fc.assert(
      fc.asyncProperty(column, withOutput, number, async (name, place, n) => {
        await putBack()
        const fault = await faultAfter(set(name, otherBytes(name, n), place))
        expect(fault).toEqual({ position: place, what: 'record_hash' })
      }),
      runs(50),
    )
  })

  it.each([
    { column: 'provenance', value: sql`'observed'` },
    { column: 'created_at', value: sql`created_at + interval '1 millisecond'` },
    { column: 'decision_ids', value: sql`array['dec-1']` },
    // The record of a checkpoint without decision_ids is of version 1.0.0.
    { column: 'decision_ids', value: sql`null` },
  ])('of the origin, in $column, is found at its checkpoint', async ({ column, value }) => {
    const fault = await faultAfter(set(column, value, 7))
    expect(fault).toEqual({ position: 7, what: 'record_hash' })
  })

  it('of any hash of the chain is found at its checkpoint', async () => {
    const column = fc.constantFrom('record_hash', 'previous_hash', 'chain_hash')
    await fc.assert(
      fc.asyncProperty(column, withOutput, number, async (name, place, n) => {
        await putBack()
        const fault = await faultAfter(set(name, otherBytes(name, n), place))
        const what = name === 'record_hash' ? 'chain_hash' : name
        expect(fault).toEqual({ position: place, what })
      }),
      runs(50),
    )
  })

  it('of any node of the tree is found', async () => {
    await fc.assert(
      fc.asyncProperty(number, number, async (place, n) => {
        await putBack()
        const fault = await faultAfter(sql`
          update merkle_node set hash = ${otherBytes('hash', n)} where agent_id = ${AGENT}
          and (level, index) = (select level, index from merkle_node where agent_id = ${AGENT}
            order by level, index
            limit 1 offset ${place} % (select count(*) from merkle_node where agent_id = ${AGENT}))`)
        expect(fault?.what).toBe('merkle_node')
      }),
      runs(40),
    )
  })

  it('of anything in a certificate is found at its checkpoint', async () => {
    const bytes = ['signature', 'certificate_hash']
    const column = fc.constantFrom('certificate_id', 'key_id', 'base_url', ...bytes)
    await fc.assert(
      fc.asyncProperty(column, anywhere, number, async (name, place, n) => {
        await putBack()
        const value = bytes.includes(name) ? otherBytes(name, n) : otherText(name, n)
        const fault = await faultAfter(
          sql`update certificate set ${sql.ref(name)} = ${value} where ${at(place)}`,
        )
        expect(fault).toEqual({ position: place, what: 'certificate' })
      }),
      runs(60),
    )
  })

  it('of the head is found at the end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('chain_hash', 'edge'), number, async (name, n) => {
        await putBack()
        const fault = await faultAfter(
          sql`update chain_head set ${sql.ref(name)} = ${otherBytes(name, n)}
            where agent_id = ${AGENT}`,
        )
        expect(fault).toEqual({ position: LENGTH, what: 'head' })
      }),
      runs(20),
    )
  })
})

/** 12 has a concern and an output, 15 is synthetic and has an output, 16 has neither. */
const CHANGES: [string, What, number, RawBuilder<unknown>][] = [
  ['the time', 'record_hash', 12, set('occurred_at', sql`occurred_at + interval '1 ms'`, 12)],
  ['the time, by less', 'record_hash', 12, set('occurred_at', sql`occurred_at + '600 us'`, 12)],
  ['the time, without an end', 'record_hash', 12, set('occurred_at', sql`'infinity'`, 12)],
  ['the verdict', 'record_hash', 12, set('verdict', sql`'clear'`, 12)],
  ['the analyser', 'record_hash', 12, set('analyzer', sql`'llm'`, 12)],
  ['the duration', 'record_hash', 12, set('analysis_duration_ms', sql`1`, 12)],
  ['the confidence', 'record_hash', 12, set('confidence', sql`confidence - 1e-15`, 12)],
  ['the confidence, to no number', 'record_hash', 12, set('confidence', sql`'NaN'`, 12)],
  ['the output, to none', 'record_hash', 12, set('output_hash', sql`null`, 12)],
  ['no output, to one', 'record_hash', 16, set('output_hash', sql`thinking_hash`, 16)],
  ['an analysed one, to synthetic', 'record_hash', 16, set('synthetic_reason', sql`'x'`, 16)],
  ['a synthetic one, to analysed', 'record_hash', 15, set('synthetic_reason', sql`null`, 15)],
  ['the concerns, to none', 'record_hash', 12, set('concerns', sql`'[]'`, 12)],
  ['the concerns, to no list', 'record_hash', 12, set('concerns', sql`'{}'`, 12)],
  ['no concern, to one', 'record_hash', 16, set('concerns', sql`'[{"category": "x"}]'`, 16)],
  ...['category', 'severity', 'description'].map(
    (name): [string, What, number, RawBuilder<unknown>] => [
      `the ${name} of a concern`,
      'record_hash',
      12,
      set('concerns', sql`jsonb_set(concerns, ${`{0,${name}}`}::text[], '"low."')`, 12),
    ],
  ),
  ['the previous hash, to none', 'previous_hash', 12, set('previous_hash', sql`null`, 12)],
  ['the first previous hash', 'previous_hash', 0, set('previous_hash', sql`chain_hash`, 0)],
  ['a short hash', 'chain_hash', 12, set('chain_hash', sql`'\\x00'`, 12)],
  ['the leaf index', 'leaf_index', 12, set('leaf_index', sql`leaf_index + 1`, 12)],
  ['the leaf index, to none', 'leaf_index', 12, set('leaf_index', sql`null`, 12)],
  ['a leaf index where none is', 'leaf_index', 15, set('leaf_index', sql`12`, 15)],
  ['the position', 'position', 12, set('position', sql`1000`, 12)],
  ['the last position', 'position', 43, set('position', sql`44`, 43)],
  ['the agent', 'position', 12, set('agent_id', sql`'agent-other'`, 12)],
  [
    'the time of a certificate',
    'certificate',
    12,
    sql`update certificate set issued_at = issued_at + interval '1 ms' where ${at(12)}`,
  ],
  [
    'the time of a certificate, without an end',
    'certificate',
    12,
    sql`update certificate set issued_at = 'infinity' where ${at(12)}`,
  ],
  ['a certificate, to none', 'certificate', 12, sql`delete from certificate where ${at(12)}`],
  ['an owner, to none', 'owner', 12, sql`delete from checkpoint_owner where ${at(12)}`],
  [
    'an owner, to another place',
    'owner',
    12,
    sql`update checkpoint_owner set position = 13 where ${at(12)}`,
  ],
  [
    'an owner, to another agent',
    'owner',
    12,
    sql`update checkpoint_owner set agent_id = 'agent-other' where ${at(12)}`,
  ],
  [
    'a leaf, to none',
    'merkle_node',
    0,
    sql`delete from merkle_node where agent_id = ${AGENT} and level = 0 and index = 0`,
  ],
  [
    'an inner node, to none',
    'merkle_node',
    4,
    sql`delete from merkle_node where agent_id = ${AGENT} and level = 2 and index = 0`,
  ],
  ['all nodes, to none', 'merkle_node', 0, sql`delete from merkle_node where agent_id = ${AGENT}`],
]

describe('a change of', () => {
  it.each(CHANGES)('%s is found', async (_, what, position, change) => {
    expect(await faultAfter(change)).toEqual({ position, what })
  })
})

const head = (change: RawBuilder<unknown>) =>
  sql`update chain_head set ${change} where agent_id = ${AGENT}`

describe('a head', () => {
  it.each([
    ['that is longer', head(sql`length = length + 1`)],
    ['that is shorter', head(sql`length = length - 1`)],
    ['with more leaves', head(sql`leaf_count = leaf_count + 1`)],
    ['with fewer leaves', head(sql`leaf_count = leaf_count - 1`)],
    ['with a cut edge', head(sql`edge = substring(edge from 1 for length(edge) - 1)`)],
    ['with a longer edge', head(sql`edge = edge || edge`)],
    ['without a hash', head(sql`chain_hash = null`)],
    [
      'that was reset to an empty chain',
      head(sql`length = 0, leaf_count = 0, chain_hash = null, edge = ''`),
    ],
    ['that is gone', sql`delete from chain_head where agent_id = ${AGENT}`],
  ])('%s is found', async (_, change) => {
    expect(await faultAfter(change)).toEqual({ position: LENGTH, what: 'head' })
  })
})

const copyTo = (position: number, from: number) => sql`
  insert into checkpoint select (jsonb_populate_record(c, jsonb_build_object(
    'position', ${position}::bigint, 'checkpoint_id', 'ic-forged'))).*
  from checkpoint c where ${at(from)}`

describe('rows that are', () => {
  it('deleted are found at any position', async () => {
    for (const position of [0, 1, 20, LENGTH - 2]) {
      await putBack()
      const fault = await faultAfter(sql`delete from checkpoint where ${at(position)}`)
      expect(fault).toEqual({ position, what: 'position' })
    }
  })

  it('truncated at the end are found, with or without their dependent rows', async () => {
    const cut = sql`agent_id = ${AGENT} and position >= 40`
    expect(await faultAfter(sql`delete from checkpoint where ${cut}`)).toEqual({
      position: 40,
      what: 'head',
    })
    await putBack()
    await w.tamper(sql`delete from certificate where ${cut}`)
    await w.tamper(sql`delete from checkpoint_owner where ${cut}`)
    expect(await faultAfter(sql`delete from checkpoint where ${cut}`)).toMatchObject({
      what: 'head',
    })
    await putBack()
    const all = await faultAfter(sql`delete from checkpoint where agent_id = ${AGENT}`)
    expect(all).toEqual({ position: 0, what: 'head' })
  })

  it('inserted are found before, between and after the others', async () => {
    expect(await faultAfter(copyTo(-1, 3))).toEqual({ position: 0, what: 'position' })
    await putBack()
    await w.tamper(sql`delete from checkpoint where ${at(20)}`)
    expect(await faultAfter(copyTo(20, 21))).toMatchObject({ position: 20 })
    await putBack()
    expect(await faultAfter(copyTo(LENGTH, 3))).toMatchObject({ position: LENGTH })
    await putBack()
    expect(await faultAfter(copyTo(LENGTH + 7, 3))).toEqual({ position: LENGTH, what: 'position' })
  })

  it('swapped are found', async () => {
    await w.tamper(sql`update checkpoint set position = -20 where ${at(20)}`)
    await w.tamper(sql`update checkpoint set position = 20 where ${at(21)}`)
    const fault = await faultAfter(sql`update checkpoint set position = 21 where ${at(-20)}`)
    expect(fault).toEqual({ position: 20, what: 'previous_hash' })
  })

  it('linked or reclassified later are no fault', async () => {
    const marked = sql`update checkpoint set linked_trace_id = 'tr-1' where ${at(12)}`
    expect(await faultAfter(marked)).toBeNull()
  })
})

describe('a chain that is consistent in itself', () => {
  /** Restores the state before the last checkpoints, except for the stored result of the walk. */
  async function cutOff(): Promise<void> {
    await w.ingest(AGENT, LENGTH, 5)
    expect((await w.walkNow(AGENT)).auditedThrough).toBe(LENGTH + 4)
    await sql`create table kept_audit as select * from chain_audit`.execute(w.db)
    await putBack()
    await sql`insert into chain_audit select * from kept_audit`.execute(w.db)
    await sql`drop table kept_audit`.execute(w.db)
  }

  it('is found to be shorter than before', async () => {
    await cutOff()
    const { valid, fault } = await w.walkNow(AGENT)
    expect({ valid, ...fault }).toMatchObject({ valid: false, position: LENGTH, what: 'cut_off' })
  })

  it('is found to have been rewritten', async () => {
    await cutOff()
    await w.ingest(AGENT, LENGTH + 100, 8)
    const { valid, fault } = await w.walkNow(AGENT)
    const rewritten = { valid: false, position: LENGTH + 4, what: 'rewritten' }
    expect({ valid, ...fault }).toMatchObject(rewritten)
  })
})
