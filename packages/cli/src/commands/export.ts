import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { Client, Query } from '@touchstone/sdk'
import { CliError, usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import type { Io } from '../io.ts'
import { connect } from '../service.ts'

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
    if (flags.output === undefined) {
      await print(answer, io)
      return 0
    }
    const bytes = await save(answer, flags.output, io)
    io.result({ file: flags.output, bytes }, () => `Wrote ${bytes} bytes to ${flags.output}.`)
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

function bodyOf(answer: Response): ReadableStream<Uint8Array> {
  if (answer.body === null) throw new CliError('failed', 'The service sent an empty response.')
  return answer.body as ReadableStream<Uint8Array>
}

/** Writes bytes, because a chunk may end in the middle of a character. */
async function print(answer: Response, { stdout }: Io): Promise<void> {
  for await (const chunk of bodyOf(answer)) {
    if (!stdout.write(chunk)) await once(stdout, 'drain')
  }
}

async function save(answer: Response, file: string, io: Io): Promise<number> {
  let bytes = 0
  const source = Readable.fromWeb(bodyOf(answer))
  source.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length
    io.progress(`${bytes} bytes`)
  })
  await pipeline(source, createWriteStream(file, { mode: 0o600 }))
  return bytes
}
