import type { Client, Query } from '@touchstone/sdk'
import { usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import { connect } from '../service.ts'
import { writeResponse } from '../write-response.ts'

const WHAT = ['compliance', 'bundle'] as const
const FORMATS = ['json', 'ndjson', 'csv'] as const
const SECTIONS = ['violations', 'reclassifications', 'card_amendments', 'score_history'] as const

export const exportRecords = command({
  path: ['export'],
  summary: 'export the compliance records of an agent, or the evidence behind its score',
  details: `compliance: violations, reclassifications, amendments and scores. bundle: everything the score was
computed from, for "touchstone verify bundle".
--format sets the format of the export; --json only affects the message printed with --output.`,
  flags: {
    what: { type: 'string', choices: WHAT, summary: 'default: compliance' },
    format: { type: 'string', choices: FORMATS, summary: 'of compliance records; default: json' },
    section: { type: 'string', choices: SECTIONS, summary: 'for CSV; default: violations' },
    from: { type: 'string', value: 'TIME', summary: 'compliance records since TIME' },
    to: { type: 'string', value: 'TIME', summary: 'compliance records until TIME' },
    output: { type: 'string', value: 'FILE', summary: 'write to FILE instead of standard output' },
  },
  args: { agent: { summary: 'the agent id' } },
  async run({ args, flags, io }) {
    const isCompliance = (flags.what ?? 'compliance') === 'compliance'
    const { format, section, from, to } = flags
    const query = Object.fromEntries(
      Object.entries({ format, section, from, to }).filter(([, value]) => value !== undefined),
    )
    if (!isCompliance && Object.keys(query).length > 0) {
      throw usageError('--format, --section, --from and --to only apply to compliance records.')
    }
    const { client } = await connect(io)
    const answer = await fetchExport(client, { what: flags.what, agent: args.agent, query })
    const { output: file } = flags
    let received = 0
    const onChunk = (chunk: Uint8Array) => {
      received += chunk.length
      if (file !== undefined) io.progress(`${received} bytes`)
    }
    const bytes = await writeResponse(answer, { file, onChunk }, io)
    if (file !== undefined) io.result({ file, bytes }, () => `Wrote ${bytes} bytes to ${file}.`)
    return 0
  },
})

type ExportRequest = { what: string | undefined; agent: string; query: Record<string, unknown> }

async function fetchExport(
  client: Client,
  { what, agent, query }: ExportRequest,
): Promise<Response> {
  const params = { agent_id: agent }
  if (what === 'bundle') return client.raw('GET', '/v1/reputation/{agent_id}/bundle', { params })
  // The parser has checked the choices; the service validates the times.
  const typed = query as Query<'GET', '/v1/agents/{agent_id}/compliance-export'>
  return client.raw('GET', '/v1/agents/{agent_id}/compliance-export', { params, query: typed })
}
