import type { Query } from '@touchstone/sdk'
import { command } from '../command.ts'
import { FILTERS, queryOf } from '../decisions/decision-filter.ts'
import { createExportCheck } from '../decisions/export-check.ts'
import type { Io } from '../io.ts'
import { connect } from '../service.ts'
import { writeResponse } from '../write-response.ts'

type ExportQuery = NonNullable<Query<'GET', '/v1/decisions/export'>>

const FORMATS = ['ndjson', 'csv'] as const

export const decisionsExport = command({
  path: ['decisions', 'export'],
  summary: 'export decisions with their receipts, newest first',
  details: `ndjson has one decision per line between a header and a trailer with their number and hash, which
is checked. --json only affects the message printed with --output.`,
  flags: {
    ...FILTERS,
    format: { type: 'string', choices: FORMATS, summary: 'default: ndjson' },
    output: { type: 'string', value: 'FILE', summary: 'write to FILE instead of standard output' },
  },
  args: {},
  async run({ flags, io }) {
    const format = flags.format ?? 'ndjson'
    const query: ExportQuery = { ...queryOf(flags, io.env.agent), format }
    const { client } = await connect(io)
    const answer = await client.raw('GET', '/v1/decisions/export', {
      query,
      headers: { accept: '*/*' },
    })
    const file = flags.output
    const check = createExportCheck()
    let received = 0
    const onChunk = (chunk: Uint8Array) => {
      received += chunk.length
      if (format === 'ndjson') check.push(chunk)
      if (file !== undefined || !isTerminal(io)) io.progress(`${received} bytes`)
    }
    const bytes = await writeResponse(answer, { file, onChunk }, io)
    if (format === 'ndjson') check.finish()
    if (file === undefined) return 0
    const decisions = format === 'ndjson' ? check.decisions() : undefined
    io.result({ file, bytes, ...(decisions !== undefined && { decisions }) }, () =>
      decisions === undefined
        ? `Wrote ${bytes} bytes to ${file}.`
        : `Wrote ${decisions} decisions, ${bytes} bytes, to ${file}.`,
    )
    return 0
  },
})

/** Progress is not shown between lines that are printed on the same terminal. */
function isTerminal({ stdout }: Io): boolean {
  return 'isTTY' in stdout && stdout.isTTY === true
}
