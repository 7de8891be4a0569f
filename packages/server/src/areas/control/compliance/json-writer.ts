import type { ExportWriter } from './export-writer.ts'

/** Writes one JSON document, streaming its arrays item by item. */
export function createJsonWriter(): ExportWriter {
  let chainValid = true
  let isFirst = true
  return {
    begin(header) {
      chainValid = header.chainValid
      const known = { agent_id: header.agentId, export_date: header.exportDate.toISOString() }
      return JSON.stringify(known).slice(0, -1)
    },

    open(section) {
      isFirst = true
      return `,${JSON.stringify(section)}:[`
    },

    records(slice) {
      if (slice.length === 0) return ''
      const comma = isFirst ? '' : ','
      isFirst = false
      return comma + slice.map((record) => JSON.stringify(record)).join(',')
    },

    close: () => ']',

    end: () => `,"integrity_chain_valid":${chainValid}}`,
  }
}
