import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '@touchstone/sdk'
import { CliError, usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import type { Io } from '../io.ts'
import { type Connection, connect, organisationOf } from '../service.ts'
import { fields, table } from '../table.ts'
import { writeResponse } from '../write-response.ts'

const PACKS = '/v1/orgs/{org_id}/evidence-pack'
const PACK = '/v1/orgs/{org_id}/evidence-pack/{pack_id}'

const FRAMEWORKS = ['eu_ai_act', 'iso_42001', 'soc2', 'owasp_agentic', 'nist_ai_rmf'] as const

const POLL_MS = 1000

type Pack = Answer<'GET', typeof PACK>
type Named = { org_id: string; pack_id: string }

const OUTPUT = { type: 'string', value: 'FILE', summary: 'default: evidence-ID.zip' } as const

export const packCreate = command({
  path: ['pack', 'create'],
  summary: 'build an evidence pack of a period for an auditor, and download it',
  details: `The pack has the records of the organisation in the period, with proofs that none is missing. Unpack it
and run "node verify.mjs --policy FILE" in it; nothing but Node is needed.`,
  flags: {
    from: { type: 'string', value: 'TIME', summary: 'the earliest time; required' },
    to: { type: 'string', value: 'TIME', summary: 'exclusive; at most 366 days later; required' },
    framework: {
      type: 'string',
      choices: FRAMEWORKS,
      multiple: true,
      summary: 'map the controls of this framework; may be repeated; default: all',
    },
    output: OUTPUT,
  },
  args: {},
  async run({ flags, io }) {
    const { from, to, framework } = flags
    if (from === undefined || to === undefined) throw usageError('--from and --to are required.')
    const connection = await connect(io)
    const org_id = await organisationOf(connection)
    const { pack_id } = await connection.client.request('POST', PACKS, {
      params: { org_id },
      body: { from, to, ...(framework !== undefined && { frameworks: [...framework] }) },
    })
    const named = { org_id, pack_id }
    const pack = await untilReady(connection, named, io)
    return save(connection, { named, pack, output: flags.output }, io)
  },
})

export const packList = command({
  path: ['pack', 'list'],
  summary: 'list evidence packs, newest first, until they expire',
  flags: {},
  args: {},
  async run({ io }) {
    const connection = await connect(io)
    const params = { org_id: await organisationOf(connection) }
    const found = await connection.client.request('GET', PACKS, { params })
    const head = ['ID', 'FROM', 'TO', 'STATUS', 'BYTES', 'EXPIRES']
    io.result(found, () =>
      found.packs.length === 0 ? 'No evidence packs found.' : table(head, found.packs.map(rowOf)),
    )
    return 0
  },
})

function rowOf(pack: Pack): string[] {
  const status = pack.status === 'running' ? `${pack.progress} %` : pack.status
  return [pack.pack_id, pack.from, pack.to, status, String(pack.bytes ?? ''), pack.expires_at]
}

export const packDownload = command({
  path: ['pack', 'download'],
  summary: 'download an evidence pack, when it is ready',
  flags: { output: OUTPUT },
  args: { pack: { summary: 'the id of the pack' } },
  async run({ args, flags, io }) {
    const connection = await connect(io)
    const named = { org_id: await organisationOf(connection), pack_id: args.pack }
    const pack = await untilReady(connection, named, io)
    return save(connection, { named, pack, output: flags.output }, io)
  },
})

async function untilReady({ client }: Connection, params: Named, io: Io): Promise<Pack> {
  const stopped = io.stopSignal()
  for (;;) {
    const pack = await client.request('GET', PACK, { params })
    if (pack.status === 'ready') return pack
    if (pack.status === 'failed') {
      throw new CliError(
        'failed',
        `The pack could not be built: ${pack.error ?? 'no reason given'}`,
      )
    }
    io.progress(`${pack.status} ${pack.progress} %`)
    await sleep(POLL_MS, undefined, { signal: stopped }).catch(() => {
      throw new CliError(
        'failed',
        `Stopped. Get it with: touchstone pack download ${params.pack_id}`,
      )
    })
  }
}

async function save(
  { client }: Connection,
  { named, pack, output }: { named: Named; pack: Pack; output: string | undefined },
  io: Io,
): Promise<0> {
  const answer = await client.raw('GET', `${PACK}/download`, {
    params: named,
    headers: { accept: 'application/zip' },
  })
  const file = output ?? `evidence-${pack.pack_id}.zip`
  const bytes = await writeResponse(answer, { file }, io)
  if (bytes !== pack.bytes) {
    throw new CliError(
      'failed',
      `${file} has ${bytes} bytes instead of ${pack.bytes}. Download it again.`,
    )
  }
  const { pack_id, sha256 } = pack
  io.result({ pack_id, file, bytes, sha256 }, () =>
    fields([
      ['pack', pack_id],
      ['file', file],
      ['bytes', String(bytes)],
      ['sha256', sha256 ?? ''],
    ]),
  )
  return 0
}
