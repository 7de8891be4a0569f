import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { eventually } from './eventually.ts'
import { onFileFinished } from './on-file-finished.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read event data freely
export type StreamEvent = { event: string; id: string | undefined; data: any }

export type EventStream = {
  status: number
  /** Every event received so far. */
  events(): readonly StreamEvent[]
  comments(): number
  /** Resolves with the first received event of the type that matches. */
  waitFor(event: string, matches?: (event: StreamEvent) => boolean): Promise<StreamEvent>
  hasEnded(): boolean
  /** Stops reading, as a hanging client does. */
  pause(): void
  resume(): void
  disconnect(): void
}

/** Opens an event stream over a socket. */
export async function openStream(
  url: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const { req, answer } = await sendRequest(url, {
    accept: 'text/event-stream',
    authorization: `Bearer ${token}`,
    ...headers,
  })
  onFileFinished(() => void req.destroy())
  let rest = ''
  let comments = 0
  let ended = false
  const events: StreamEvent[] = []
  answer.setEncoding('utf8')
  answer.on('data', (chunk) => {
    const blocks = `${rest}${chunk}`.split('\n\n')
    rest = blocks.pop() ?? ''
    comments += blocks.filter((block) => block.startsWith(':')).length
    events.push(...blocks.flatMap(parse))
  })
  answer.on('close', () => {
    ended = true
  })
  answer.on('error', () => undefined)
  return {
    status: answer.statusCode ?? 0,
    events: () => events,
    comments: () => comments,
    async waitFor(event, matches = () => true) {
      let found: StreamEvent | undefined
      await eventually(() => {
        found = events.find((one) => one.event === event && matches(one))
        if (found === undefined) {
          throw new Error(`no ${event} in ${JSON.stringify(events.slice(-20))}`)
        }
      })
      if (found === undefined) throw new Error(`no ${event}`)
      return found
    },
    hasEnded: () => ended,
    pause: () => void answer.pause(),
    resume: () => void answer.resume(),
    disconnect: () => void req.destroy(),
  }
}

function sendRequest(
  url: string,
  headers: Record<string, string>,
): Promise<{ req: ClientRequest; answer: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const req = request(url, { headers, agent: false })
    req.on('response', (answer) => resolve({ req, answer }))
    req.on('error', reject)
    req.end()
  })
}

function parse(block: string): StreamEvent[] {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    }),
  )
  const event = fields.get('event')
  const data = fields.get('data')
  if (event === undefined || data === undefined) return []
  return [{ event, id: fields.get('id'), data: JSON.parse(data) }]
}
