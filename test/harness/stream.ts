import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { atEnd } from './at-end.ts'
import { eventually } from './eventually.ts'

// biome-ignore lint/suspicious/noExplicitAny: what is told is read freely in tests
export type Heard = { event: string; id: string | undefined; data: any }

export type Listener = {
  status: number
  /** Every event so far. */
  heard(): readonly Heard[]
  comments(): number
  /** Resolves once an event of the type was heard, with the first that fits. */
  hears(event: string, fits?: (heard: Heard) => boolean): Promise<Heard>
  hasEnded(): boolean
  /** Stops reading, as a program that hangs does. */
  pause(): void
  resume(): void
  leave(): void
}

/** Listens to a stream over a socket. */
export async function listen(
  url: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<Listener> {
  const { req, answer } = await begin(url, {
    accept: 'text/event-stream',
    authorization: `Bearer ${token}`,
    ...headers,
  })
  atEnd(() => void req.destroy())
  let rest = ''
  let comments = 0
  let ended = false
  const heard: Heard[] = []
  answer.setEncoding('utf8')
  answer.on('data', (chunk) => {
    const blocks = `${rest}${chunk}`.split('\n\n')
    rest = blocks.pop() ?? ''
    comments += blocks.filter((block) => block.startsWith(':')).length
    heard.push(...blocks.flatMap(parse))
  })
  answer.on('close', () => {
    ended = true
  })
  answer.on('error', () => undefined)
  return {
    status: answer.statusCode ?? 0,
    heard: () => heard,
    comments: () => comments,
    async hears(event, fits = () => true) {
      let found: Heard | undefined
      await eventually(() => {
        found = heard.find((one) => one.event === event && fits(one))
        if (found === undefined) {
          throw new Error(`no ${event} in ${JSON.stringify(heard.slice(-20))}`)
        }
      })
      if (found === undefined) throw new Error(`no ${event}`)
      return found
    },
    hasEnded: () => ended,
    pause: () => void answer.pause(),
    resume: () => void answer.resume(),
    leave: () => void req.destroy(),
  }
}

function begin(
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

function parse(block: string): Heard[] {
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
