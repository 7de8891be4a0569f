import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createExportCheck } from './export-check.ts'

function exportOf(decisions: readonly object[]): Buffer {
  const body = [{ record: 'header' }, ...decisions]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
  const sha256 = createHash('sha256').update(body).digest('hex')
  return Buffer.from(`${body}${JSON.stringify({ record: 'trailer', sha256 })}\n`)
}

const anyExport = fc
  .array(fc.record({ tool: fc.string() }), { maxLength: 20 })
  .map((decisions) => ({ decisions, bytes: exportOf(decisions) }))

describe('createExportCheck', () => {
  it('accepts a complete export however it is split, and counts its decisions', () => {
    fc.assert(
      fc.property(anyExport, fc.array(fc.nat(400)), ({ decisions, bytes }, cuts) => {
        const check = createExportCheck()
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        for (const [at, place] of places.entries())
          check.push(bytes.subarray(place, places[at + 1]))
        check.finish()
        expect(check.decisions()).toBe(decisions.length)
      }),
    )
  })

  it('rejects an export that was cut or changed', () => {
    fc.assert(
      fc.property(anyExport, fc.nat(), fc.boolean(), ({ bytes }, place, isCut) => {
        const check = createExportCheck()
        const at = place % (bytes.length - 1)
        const changed = Buffer.from(bytes)
        changed[at] = 'x'.charCodeAt(0)
        fc.pre(isCut || !changed.equals(bytes))
        check.push(isCut ? bytes.subarray(0, at) : changed)
        expect(() => check.finish()).toThrow('incomplete')
      }),
    )
  })
})
