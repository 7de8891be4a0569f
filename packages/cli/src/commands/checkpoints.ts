import { createInterface } from 'node:readline'
import { isJsonObject } from '@touchstone/protocol/base'
import type { Answer } from '@touchstone/sdk'
import { CliError } from '../cli-error.ts'
import { command } from '../command.ts'
import { openLines, unreadable } from '../documents.ts'
import type { Io } from '../io.ts'
import { type Connection, connect } from '../service.ts'
import { fields, printable } from '../table.ts'

/** Largest batch of checkpoints (spec: interface, Limits). */
const BATCH_MAX = 50

type BatchAnswer = Answer<'POST', '/v1/checkpoints/batch'>
type Line = { line: number; checkpoint: Record<string, unknown> }
type Refused = { line: number; error: string; message: string }
type Totals = {
  accepted: number
  duplicates: number
  rejected: number
  /** Counts judged checkpoints only. */
  verdicts: Record<string, number>
  not_judged: number
  refused: Refused[]
}

/** Further refused lines are only counted. */
const REFUSED_SHOWN_MAX = 100

export const checkpointsSend = command({
  path: ['checkpoints', 'send'],
  summary: 'send checkpoints for analysis, one JSON object per line',
  details: `Each line is the body of POST /v1/agents/AGENT/checkpoints, plus agent_id unless --agent is given.
A line with a checkpoint_id is idempotent: sent again, it counts once. Exits with 1 if a line was
refused.`,
  flags: {
    agent: { type: 'string', value: 'ID', summary: 'agent for lines without agent_id' },
  },
  args: { file: { summary: 'NDJSON file; default: standard input', optional: true } },
  async run({ args, flags, io }) {
    const connection = await connect(io)
    const agent = flags.agent ?? io.env.agent
    const totals: Totals = {
      accepted: 0,
      duplicates: 0,
      rejected: 0,
      verdicts: {},
      not_judged: 0,
      refused: [],
    }
    for await (const batch of batchesOf(linesOf(args.file ?? '-', io))) {
      await sendBatch(connection, batch, { agent, totals })
      io.progress(
        `${totals.accepted} accepted, ${totals.duplicates} duplicates, ${totals.rejected} refused`,
      )
    }
    io.result(totals, () => describe(totals))
    return totals.rejected === 0 ? 0 : 1
  },
})

async function* linesOf(path: string, io: Io): AsyncGenerator<Line> {
  const input = openLines(path, io)
  // readline does not forward an error of its input stream, such as a file that cannot be opened.
  const failure = new Promise<never>((_, reject) => {
    input.once('error', (err) => reject(unreadable(path, err)))
  })
  failure.catch(() => {})
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  const iterator = lines[Symbol.asyncIterator]()
  for (let line = 1; ; line += 1) {
    const next = await Promise.race([iterator.next(), failure])
    if (next.done) return
    if (next.value.trim() !== '')
      yield { line, checkpoint: parseCheckpoint(next.value, path, line) }
  }
}

function parseCheckpoint(text: string, path: string, line: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch {
    // Falls through to the error below, like JSON that is not an object.
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
  { agent, totals }: { agent: string | undefined; totals: Totals },
): Promise<void> {
  const checkpoints = batch.map(({ checkpoint }) =>
    agent === undefined ? checkpoint : { agent_id: agent, ...checkpoint },
  )
  const answer = await client.request('POST', '/v1/checkpoints/batch', { body: { checkpoints } })
  add(totals, answer, batch)
}

function add(totals: Totals, answer: BatchAnswer, batch: readonly Line[]): void {
  totals.accepted += answer.accepted
  totals.duplicates += answer.duplicates
  totals.rejected += answer.rejected
  for (const result of answer.results) {
    const { index, status, verdict, synthetic, error = '', message = '' } = result
    if (synthetic === true) totals.not_judged += 1
    else if (verdict !== undefined) totals.verdicts[verdict] = (totals.verdicts[verdict] ?? 0) + 1
    if (status !== 'rejected' || totals.refused.length >= REFUSED_SHOWN_MAX) continue
    totals.refused.push({ line: batch[index]?.line ?? 0, error, message })
  }
}

function describe(totals: Totals): string {
  const { accepted, duplicates, rejected, verdicts, refused } = totals
  const counts = fields([
    ['accepted', String(accepted)],
    ['duplicates', String(duplicates)],
    ['rejected', String(rejected)],
    ...Object.entries(verdicts).map(([name, count]) => [name, String(count)] as const),
    ...(totals.not_judged === 0 ? [] : [['not judged', String(totals.not_judged)] as const]),
  ])
  const lines = refused.map(({ line, message }) => `line ${line}: ${printable(message)}`)
  return [counts, ...lines].join('\n')
}
