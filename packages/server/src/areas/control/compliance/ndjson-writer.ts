import { createHash } from 'node:crypto'
import type { ExportWriter } from './export-writer.ts'
import type { Section } from './records.ts'

/** The record type and the name of its count in the trailer (spec: control §1.6). */
const NAMES = {
  violations: { record: 'violation', count: 'violations' },
  reclassifications: { record: 'reclassification', count: 'reclassifications' },
  card_amendments: { record: 'card_amendment', count: 'card_amendments' },
  score_history: { record: 'snapshot', count: 'snapshots' },
} as const satisfies Record<Section, { record: string; count: string }>

/**
 * Writes one JSON object per line; the trailer has the counts and the hash of all preceding
 * bytes.
 */
export function createNdjsonWriter(): ExportWriter {
  const hash = createHash('sha256')
  const counts = { violations: 0, reclassifications: 0, card_amendments: 0, snapshots: 0 }
  let section: Section = 'violations'
  const hashed = (text: string) => {
    hash.update(text, 'utf8')
    return text
  }
  return {
    begin: ({ agentId, exportDate, chainValid }) =>
      hashed(
        line({
          record: 'header',
          agent_id: agentId,
          export_date: exportDate.toISOString(),
          integrity_chain_valid: chainValid,
        }),
      ),

    open(opened) {
      section = opened
      return ''
    },

    records(slice) {
      const { record, count } = NAMES[section]
      counts[count] += slice.length
      // Prepended as text: copying each record would cause most of the garbage collection.
      const kind = `{"record":"${record}",`
      return hashed(slice.map((one) => `${kind}${line(one).slice(1)}`).join(''))
    },

    close: () => '',

    end: () => line({ record: 'trailer', counts, sha256: hash.digest('hex') }),
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`
}
