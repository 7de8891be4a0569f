import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createNdjsonWriter } from './ndjson-writer.ts'
import { SECTIONS } from './records.ts'

const exportDate = new Date('2026-03-01T10:00:00.000Z')
const header = { agentId: 'agent-1', exportDate, chainValid: true }
const anySlices = fc.array(fc.array(fc.record({ text: fc.string({ unit: 'binary' }) })))
const anySections = fc.tuple(anySlices, anySlices, anySlices, anySlices)

describe('an NDJSON export', () => {
  it('ends with the counts and the hash of all preceding bytes, however it is sliced', () => {
    fc.assert(
      fc.property(anySections, (sections) => {
        const writer = createNdjsonWriter()
        let text = writer.begin(header)
        for (const [at, section] of SECTIONS.entries()) {
          text += writer.open(section)
          for (const slice of sections[at] ?? []) text += writer.records(slice)
          text += writer.close()
        }
        const { counts, sha256 } = JSON.parse(writer.end())
        expect(sha256).toBe(createHash('sha256').update(Buffer.from(text)).digest('hex'))
        expect(Object.values(counts)).toEqual(sections.map((slices) => slices.flat().length))
        const lines = text.split('\n').slice(1, -1)
        const records = lines.map((line) => JSON.parse(line).text)
        expect(records).toEqual(sections.flat(2).map((one) => one.text))
      }),
    )
  })

  it('labels every line with its record type, including header and trailer', () => {
    const writer = createNdjsonWriter()
    const text = [
      writer.begin(header),
      ...SECTIONS.map(
        (section) => writer.open(section) + writer.records([{ at: 1 }]) + writer.close(),
      ),
      writer.end(),
    ].join('')
    const lines = text.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).record)).toEqual([
      'header',
      'violation',
      'reclassification',
      'card_amendment',
      'snapshot',
      'trailer',
    ])
    expect(lines[0]).toBe(
      '{"record":"header","agent_id":"agent-1","export_date":"2026-03-01T10:00:00.000Z","integrity_chain_valid":true}',
    )
    expect(JSON.parse(lines.at(-1) ?? '').counts).toEqual({
      violations: 1,
      reclassifications: 1,
      card_amendments: 1,
      snapshots: 1,
    })
  })
})
