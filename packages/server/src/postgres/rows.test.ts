import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { runs } from '#harness/runs.ts'
import { rowsOf } from './rows.ts'

const COLUMNS = {
  name: 'text',
  count: 'bigint',
  share: 'double precision',
  done: 'boolean',
  at: 'timestamptz',
  told: 'jsonb',
  tags: 'text[]',
  places: 'bigint[]',
  hash: 'hex',
}

/** PostgreSQL refuses zero bytes and unpaired surrogates. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0')),
  fc.constantFrom('', 'null', 'NULL', '{}', '{a,b}', '"', '\\', '\\"', 'a\nb', ' a '),
)
const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null })
const anyJson = fc.oneof(
  anyText,
  // Names without escapes: Node 24's JSON.parse, which the driver uses, confuses those.
  fc.dictionary(fc.constantFrom('a', 'b c', 'ä', 'null', '{}'), anyText),
  fc.array(anyText),
  fc.integer(),
  fc.boolean(),
)
const anyRow = fc.record({
  name: orNull(anyText),
  count: orNull(fc.maxSafeInteger()),
  // JSON has no negative zero.
  share: orNull(fc.double({ noNaN: true }).map((share) => (share === 0 ? 0 : share))),
  done: orNull(fc.boolean()),
  at: orNull(
    fc.date({
      min: new Date('1970-01-01'),
      max: new Date('9999-12-31'),
      noInvalidDate: true,
    }),
  ),
  told: orNull(anyJson),
  tags: orNull(fc.array(anyText)),
  places: orNull(fc.array(fc.maxSafeInteger())),
  hash: orNull(fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('hex'))),
})

const PLACED = { ...COLUMNS, place: 'integer' }

describe('rowsOf', () => {
  it('round-trips every value', async () => {
    const { db } = await testDatabase()
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { maxLength: 5 }), async (rows) => {
        const given = rows.map((row, place) => ({ ...row, place }))
        const found = await sql`
          select name, count, share, done, at, told, tags, places, encode(hash, 'hex') as hash
          from ${rowsOf(PLACED, given)} as r order by place`.execute(db)
        expect(found.rows).toEqual(
          rows.map((row) => ({ ...row, places: row.places?.map(String) ?? null })),
        )
      }),
      runs(200),
    )
  })

  it('refuses a value that does not fit its column', () => {
    const names = { name: 'text' }
    const tags = { tags: 'text[]' }
    expect(() => rowsOf(names, [{ name: { a: 1 } }])).toThrow('not written as object')
    expect(() => rowsOf(tags, [{ tags: 'a' }])).toThrow('not written as string')
  })
})
