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
  summary: 'write the records of an agent: for compliance, or the evidence of its score',
  details: `compliance: violations, reclassifications, amendments and scores. bundle: everything the score was
computed from, for "touchstone verify bundle".
The export itself is JSON, NDJSON or CSV; with --json and --output what is told about it is JSON, too.`,
  flags: {
    what: { type: 'string', choices: WHAT, summary: 'compliance without' },
    format: { type: 'string', choices: FORMATS, summary: 'of compliance records; json without' },
    section: { type: 'string', choices: SECTIONS, summary: 'of a CSV; violations without' },
    from: { type: 'string', value: 'TIME', summary: 'compliance records from then on' },
    to: { type: 'string', value: 'TIME', summary: 'compliance records up to then' },
    output: { type: 'string', value: 'FILE', summary: 'instead of standard output' },
  },
  args: { agent: { summary: 'its id' } },
  async run({ args, flags, io }) {
    const isCompliance = (flags.what ?? 'compliance') === 'compliance'
    const { format, section, from, to } = flags
    const query = Object.fromEntries(
      Object.entries({ format, section, from, to }).filter(([, value]) => value !== undefined),
    )
    if (!isCompliance && Object.keys(query).length > 0) {
      throw usageError('--format, --section, --from and --to are for compliance records.')
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

type Wanted = { what: string | undefined; agent: string; query: Record<string, unknown> }

async function fetchExport(client: Client, { what, agent, query }: Wanted): Promise<Response> {
  const params = { agent_id: agent }
  if (what === 'bundle') return client.raw('GET', '/v1/reputation/{agent_id}/bundle', { params })
  // The parser has held them to their choices; the service judges the times.
  const typed = query as Query<'GET', '/v1/agents/{agent_id}/compliance-export'>
  return client.raw('GET', '/v1/agents/{agent_id}/compliance-export', { params, query: typed })
}

function bodyOf(answer: Response): ReadableStream<Uint8Array> {
  if (answer.body === null) throw new CliError('failed', 'The service answered nothing.')
  return answer.body as ReadableStream<Uint8Array>
}

/** As bytes: where a chunk ends, a character may be cut in two. */
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
