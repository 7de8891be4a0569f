import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileName } from './export-writer.ts'
import { createJsonWriter } from './json-writer.ts'
import { SECTIONS } from './records.ts'

const exportDate = new Date('2026-03-01T23:59:59.000Z')
const anySlices = fc.array(fc.array(fc.record({ value: fc.jsonValue() })))

describe('a JSON export', () => {
  it('is the same document, however its records are sliced', () => {
    fc.assert(
      fc.property(
        fc.tuple(anySlices, anySlices, anySlices, anySlices),
        fc.boolean(),
        (sections, chainValid) => {
          const writer = createJsonWriter()
          let text = writer.begin({ agentId: 'agent-1', exportDate, chainValid })
          for (const [at, section] of SECTIONS.entries()) {
            text += writer.open(section)
            for (const slice of sections[at] ?? []) text += writer.records(slice)
            text += writer.close()
          }
          const whole = {
            agent_id: 'agent-1',
            export_date: exportDate.toISOString(),
            ...Object.fromEntries(SECTIONS.map((section, at) => [section, sections[at]?.flat()])),
            integrity_chain_valid: chainValid,
          }
          expect(text + writer.end()).toBe(JSON.stringify(whole))
        },
      ),
    )
  })
})

describe('fileName', () => {
  it('names the agent, the UTC date and the format', () => {
    const names = (['json', 'ndjson', 'csv'] as const).map((one) => fileName('a', exportDate, one))
    expect(names).toEqual([
      'compliance-a-20260301.json',
      'compliance-a-20260301.ndjson',
      'compliance-a-20260301.csv',
    ])
  })
})
