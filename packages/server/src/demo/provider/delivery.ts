import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { arrayChunks } from './gemini.ts'
import type { RequestForm } from './request-form.ts'
import { type Turn, withDefaults } from './turn.ts'

/** How the mock model answers a request: with a turn, well or badly delivered, or with a failure. */
export type Answer =
  | (Turn & Delivery)
  /** An error status with a body in the provider's form. */
  | { status: number; message: string; headers?: Record<string, string> }
  /** These bytes, whatever the wire. */
  | { status: number; headers: Record<string, string>; bytes: string | Buffer }
  /** Nothing, ever. */
  | { hang: true }
  /** The connection is closed without an answer. */
  | { close: true }

type Delivery = {
  /** Before the first event. */
  firstMs?: number
  /** Before each other event. */
  pauseMs?: number
  /** A ping or comment before each event. */
  pings?: boolean
  /** An event of a type that nobody knows, before the second one. */
  unknownEvent?: boolean
  /** Lines end with CRLF. */
  crlf?: boolean
  /** The stream is written in pieces of so many bytes. */
  pieceBytes?: number
  /** Compressed although the request did not accept that. */
  gzip?: boolean
  /** After so many events the stream fails, and how. */
  failsAfter?: number
  failure?: 'error_event' | 'hang' | 'close' | 'half_event' | 'end'
}

/** Writes the answer. The response may be gone at any time, which is no error. */
export async function deliver(
  res: ServerResponse,
  form: RequestForm,
  answer: Answer,
): Promise<void> {
  if ('hang' in answer) return
  if ('close' in answer) return void res.destroy()
  if ('bytes' in answer) return void res.writeHead(answer.status, answer.headers).end(answer.bytes)
  if ('status' in answer) {
    const body = JSON.stringify(form.wire.error(answer.status, answer.message))
    const headers = { 'content-type': 'application/json', ...answer.headers }
    return void res.writeHead(answer.status, headers).end(body)
  }
  if (form.stream === 'none') return deliverBody(res, form, answer)
  await deliverStream(res, form, answer)
}

async function deliverBody(
  res: ServerResponse,
  { wire, model }: RequestForm,
  answer: Turn & Delivery,
): Promise<void> {
  if (answer.firstMs !== undefined) await sleep(answer.firstMs)
  const json = JSON.stringify(wire.body(withDefaults(answer, model)))
  const body = answer.gzip ? gzipSync(json) : json
  res.writeHead(200, headersOf('application/json', answer))
  const isCut = answer.failure !== undefined
  if (!isCut) return void res.end(body)
  res.write(body.slice(0, body.length / 2), () => {
    if (answer.failure !== 'hang') res.destroy()
  })
}

function headersOf(contentType: string, { gzip }: Delivery): Record<string, string> {
  return {
    'content-type': contentType,
    'x-request-id': 'req_mock1',
    ...(gzip && { 'content-encoding': 'gzip' }),
  }
}

async function deliverStream(
  res: ServerResponse,
  form: RequestForm,
  answer: Turn & Delivery,
): Promise<void> {
  const isArray = form.stream === 'array'
  const type = isArray ? 'application/json' : 'text/event-stream; charset=utf-8'
  res.writeHead(200, headersOf(type, answer))
  if (answer.gzip) {
    return void res.end(gzipSync(Buffer.concat(eventsOf(form, answer))))
  }
  if (answer.firstMs !== undefined) await sleep(answer.firstMs)
  for (const [place, event] of eventsOf(form, answer).entries()) {
    if (place > 0 && answer.pauseMs !== undefined) await sleep(answer.pauseMs)
    if (res.destroyed) return
    await write(res, event, answer.pieceBytes)
  }
  finish(res, answer.failure)
}

/** By answer and form, so that a plan which repeats an answer, or a benchmark, renders it once. */
const rendered = new WeakMap<Answer, Map<string, Buffer[]>>()

function eventsOf(form: RequestForm, answer: Turn & Delivery): Buffer[] {
  const forms = rendered.get(answer) ?? new Map<string, Buffer[]>()
  rendered.set(answer, forms)
  const key = `${form.name} ${form.stream} ${form.model}`
  const events = forms.get(key) ?? render(form, answer).map((event) => Buffer.from(event))
  forms.set(key, events)
  return events
}

/** Every event of the answer, up to and including the one that fails. */
function render({ wire, model, stream }: RequestForm, answer: Turn & Delivery): string[] {
  const turn = withDefaults(answer, model)
  const events = wire.events(turn)
  if (answer.unknownEvent) events.splice(1, 0, UNKNOWN_EVENT)
  const whole = stream === 'array' ? arrayChunks(events) : events
  const { failure, failsAfter = 0 } = answer
  const sent = failure === undefined ? whole : whole.slice(0, failsAfter)
  if (failure === 'error_event') sent.push(wire.errorEvent('The mock model failed', turn))
  if (failure === 'half_event') sent.push(firstHalf(whole[failsAfter] ?? ''))
  const spoken = answer.pings && stream === 'sse' ? sent.flatMap((one) => [wire.ping, one]) : sent
  return answer.crlf ? spoken.map((event) => event.replace(/\r?\n/g, '\r\n')) : spoken
}

const UNKNOWN_EVENT =
  'event: mock.novelty\ndata: {"type":"mock.novelty","choices":[],"candidates":[]}\n\n'

function firstHalf(text: string): string {
  return text.slice(0, text.length / 2)
}

async function write(res: ServerResponse, bytes: Buffer, pieceBytes?: number): Promise<void> {
  const size = pieceBytes ?? bytes.length
  for (let from = 0; from < bytes.length && !res.destroyed; from += size) {
    const hasRoom = res.write(bytes.subarray(from, from + size))
    // Node would join pieces that are written in the same turn of the loop.
    if (pieceBytes !== undefined) await new Promise((resolve) => setImmediate(resolve))
    if (!hasRoom) await drained(res)
  }
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      res.off('drain', go).off('close', go)
      resolve()
    }
    res.once('drain', go).once('close', go)
  })
}

function finish(res: ServerResponse, failure: Delivery['failure']): void {
  if (failure === 'hang') return
  if (failure === 'close' || failure === 'half_event') res.destroy()
  else res.end()
}
