import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvCell, csvRow } from '../../../exports/csv.ts'
import { aViolation } from './compliance.fixture.ts'
import { createCsvWriter } from './csv-writer.ts'
import { FIELDS, toViolation } from './records.ts'

/** A strict RFC 4180 parser: throws on anything the grammar does not allow. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let rest = text
  while (rest !== '') {
    const match = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest)
    if (match === null) throw new Error(`no cell can start with ${rest.slice(0, 20)}`)
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    rest = rest.slice(match[0].length)
    if (match[3] === ',') continue
    rows.push(row)
    row = []
  }
  if (row.length > 0) throw new Error('the last row is not terminated')
  return rows
}

const guarded = (text: string) => (/^[=+\-@]/.test(text) ? `'${text}` : text)

/** Texts in which characters special to CSV are more frequent than by chance. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', "'", '=', '+', '-', '@', 'a', '\t') }),
)

describe('csvRow', () => {
  it('round-trips every value, except for the quote added before formulas', () => {
    const rows = fc.array(fc.array(anyText, { minLength: 1, maxLength: 6 }), { maxLength: 6 })
    fc.assert(
      fc.property(rows, (given) => {
        const read = parseCsv(given.map(csvRow).join(''))
        expect(read).toEqual(given.map((row) => row.map(guarded)))
      }),
    )
  })

  it('never has a cell that a spreadsheet would read as a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.anything(), { minLength: 1 }), (given) => {
        for (const cell of parseCsv(csvRow(given.map(plain)))[0] ?? []) {
          expect(cell).not.toMatch(/^[=+\-@]/)
        }
      }),
    )
  })

  /** The value as a database returns it. */
  function plain(value: unknown): unknown {
    try {
      return JSON.parse(JSON.stringify(value) ?? 'null')
    } catch {
      return null
    }
  }
})

describe('csvCell', () => {
  it.each([
    [null, ''],
    [true, 'true'],
    [12.5, '12.5'],
    [-1, "'-1"],
    ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
    ['+49', "'+49"],
    ['-', "'-"],
    ['@SUM', "'@SUM"],
    ['a=b', 'a=b'],
    ['a,b', '"a,b"'],
    ['one\r\ntwo', '"one\r\ntwo"'],
    [['a', 1], '"[""a"",1]"'],
    [{ a: null }, '"{""a"":null}"'],
    [[], '[]'],
  ])('writes %j as %s', (value, cell) => {
    expect(csvCell(value)).toBe(cell)
  })
})

describe('a CSV export', () => {
  it('begins with the header row, even without records', () => {
    const writer = createCsvWriter()
    const text = writer.open('score_history') + writer.records([]) + writer.close() + writer.end()
    expect(text).toBe(
      'week_start,score,grade,checkpoint_count,components,assurance,assured_score\r\n',
    )
  })

  it('has a row for each record, with columns in field order', () => {
    const writer = createCsvWriter()
    const record = toViolation(aViolation({ description: '=cmd|calc', linkedTraceId: null }))
    const [header, row] = parseCsv(writer.open('violations') + writer.records([record]))
    expect(header).toEqual(FIELDS.violations)
    const cells = Object.fromEntries(FIELDS.violations.map((field, at) => [field, row?.[at]]))
    expect(cells).toMatchObject({
      trace_id: '',
      description: "'=cmd|calc",
      counts_against_score: 'false',
      policy: JSON.stringify(record.policy),
      comments: JSON.stringify(record.comments),
    })
  })
})
