import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** An address that speaks the Messages API, and the process behind it. */
export type Target = { baseUrl: string; pid: number }

/** Without keep-alive: servers close idle connections, which a later request would try to use. */
const SEPARATE = new Agent({ keepAlive: false })

function bodyOf(model: string, filler: string): string {
  const messages = [{ role: 'user', content: `What is new?${filler}` }]
  const tools = [{ name: 'bench_search', input_schema: { type: 'object' } }]
  return JSON.stringify({ model, max_tokens: 1024, stream: true, tools, messages })
}

type OpenOptions = { filler?: string; agent?: Agent }

/** Sends one request; resolves with the response as soon as its headers are there. */
export function open(
  { baseUrl }: Target,
  model: string,
  { filler = '', agent = SEPARATE }: OpenOptions = {},
): Promise<IncomingMessage> {
  const body = bodyOf(model, filler)
  return new Promise((resolve, reject) => {
    const sent = request(
      `${baseUrl}/v1/messages`,
      {
        agent,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'x-api-key': 'bench',
        },
      },
      resolve,
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Reads one stream to its end; the time until the first event with text. */
export async function read(
  target: Target,
  model: string,
  options: OpenOptions = {},
): Promise<number> {
  const startedAt = performance.now()
  const answer = await open(target, model, options)
  let firstMs: number | undefined
  let tail = ''
  for await (const chunk of answer) {
    const text = String(chunk)
    if (firstMs === undefined && (tail + text).includes('text_delta')) {
      firstMs = performance.now() - startedAt
    }
    tail = (tail + text).slice(-200)
  }
  if (answer.statusCode !== 200 || !tail.includes('message_stop')) {
    throw new Error(`${model} answered ${answer.statusCode}: ${tail}`)
  }
  return firstMs ?? Number.NaN
}

export type Load = {
  model: string
  count: number
  concurrency: number
  /** The first streams begin this far apart, so that later ones do not begin together either. */
  apartMs?: number
}

/** Reads `count` streams, `concurrency` at a time. */
export async function readMany(
  target: Target,
  { model, count, concurrency, apartMs = 0 }: Load,
): Promise<{ firstMs: number[]; perSecond: number }> {
  const firstMs: number[] = []
  const agent = new Agent({ keepAlive: true })
  let left = count
  const startedAt = performance.now()
  const worker = async (_: unknown, n: number) => {
    await sleep(n * apartMs)
    while (left > 0) {
      left -= 1
      firstMs.push(await read(target, model, { agent }))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  agent.destroy()
  return { firstMs, perSecond: (count * 1000) / (performance.now() - startedAt) }
}

/** Resident memory of a process, in KiB. */
export function memoryKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
