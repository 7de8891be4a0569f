import { createInterface } from 'node:readline'
import { isJsonObject } from '@touchstone/protocol/base'
import type { Answer } from '@touchstone/sdk'
import { CliError } from '../cli-error.ts'
import { command } from '../command.ts'
import { openLines, unreadable } from '../documents.ts'
import type { Io } from '../io.ts'
import { type Connection, connect } from '../service.ts'
import { fields, printable } from '../table.ts'

/** Interface: so many in one request. */
const BATCH_MAX = 50

type BatchAnswer = Answer<'POST', '/v1/checkpoints/batch'>
type Line = { line: number; checkpoint: Record<string, unknown> }
type Refused = { line: number; error: string; message: string }
type Sum = {
  accepted: number
  duplicates: number
  rejected: number
  verdicts: Record<string, number>
  refused: Refused[]
}

/** Named one by one up to here, counted beyond. */
const REFUSED_SHOWN_MAX = 100

export const checkpointsSend = command({
  path: ['checkpoints', 'send'],
  summary: 'send decisions to be judged, one JSON object a line',
  details: `Each line is what POST /v1/agents/AGENT/checkpoints takes, with agent_id unless --agent is given.
A line with a checkpoint_id may be sent again and counts once. Exits with 1 when a line was refused.`,
  flags: {
    agent: { type: 'string', value: 'ID', summary: 'whose they are, where a line does not say' },
  },
  args: { file: { summary: 'NDJSON; - or nothing for standard input', optional: true } },
  async run({ args, flags, io }) {
    const connection = await connect(io)
    const agent = flags.agent ?? io.env.agent
    const sum: Sum = { accepted: 0, duplicates: 0, rejected: 0, verdicts: {}, refused: [] }
    for await (const batch of batchesOf(linesOf(args.file ?? '-', io))) {
      await sendBatch(connection, batch, { agent, sum })
      io.progress(`${sum.accepted} accepted, ${sum.duplicates} twins, ${sum.rejected} refused`)
    }
    io.result(sum, () => describe(sum))
    return sum.rejected === 0 ? 0 : 1
  },
})

async function* linesOf(path: string, io: Io): AsyncGenerator<Line> {
  const input = openLines(path, io)
  // A file that cannot be opened says so through the stream, which readline does not pass on.
  const failure = new Promise<never>((_, reject) => {
    input.once('error', (err) => reject(unreadable(path, err)))
  })
  failure.catch(() => {})
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  const iterator = lines[Symbol.asyncIterator]()
  for (let line = 1; ; line += 1) {
    const next = await Promise.race([iterator.next(), failure])
    if (next.done) return
    if (next.value.trim() !== '') yield { line, checkpoint: checkpointIn(next.value, path, line) }
  }
}

function checkpointIn(text: string, path: string, line: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch {
    // Told below, like everything that is no object.
  }
  throw new CliError('unreadable', `${path}, line ${line}: not a JSON object`)
}

async function* batchesOf(lines: AsyncIterable<Line>): AsyncGenerator<readonly Line[]> {
  let batch: Line[] = []
  for await (const line of lines) {
    batch.push(line)
    if (batch.length < BATCH_MAX) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function sendBatch(
  { client }: Connection,
  batch: readonly Line[],
  { agent, sum }: { agent: string | undefined; sum: Sum },
): Promise<void> {
  const checkpoints = batch.map(({ checkpoint }) =>
    agent === undefined ? checkpoint : { agent_id: agent, ...checkpoint },
  )
  const answer = await client.request('POST', '/v1/checkpoints/batch', { body: { checkpoints } })
  add(sum, answer, batch)
}

function add(sum: Sum, answer: BatchAnswer, batch: readonly Line[]): void {
  sum.accepted += answer.accepted
  sum.duplicates += answer.duplicates
  sum.rejected += answer.rejected
  for (const { index, status, verdict, error = '', message = '' } of answer.results) {
    if (verdict !== undefined) sum.verdicts[verdict] = (sum.verdicts[verdict] ?? 0) + 1
    if (status !== 'rejected' || sum.refused.length >= REFUSED_SHOWN_MAX) continue
    sum.refused.push({ line: batch[index]?.line ?? 0, error, message })
  }
}

function describe({ accepted, duplicates, rejected, verdicts, refused }: Sum): string {
  const counts = fields([
    ['accepted', String(accepted)],
    ['duplicates', String(duplicates)],
    ['rejected', String(rejected)],
    ...Object.entries(verdicts).map(([name, count]) => [name, String(count)] as const),
  ])
  const lines = refused.map(({ line, message }) => `line ${line}: ${printable(message)}`)
  return [counts, ...lines].join('\n')
}
