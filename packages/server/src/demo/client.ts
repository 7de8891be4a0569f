import type { Turn } from './provider/turn.ts'
import type { Receiver } from './receiver.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are documented by the API, not by types here
type Body = any

/** The service as seen by the demo organisation's programs: its public API, at a chosen time. */
export type Client = {
  /** With the key of the organisation. Throws on every error response. */
  call(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: unknown): Promise<Body>
  /** As the owner, who signs in for it. */
  callAsOwner: Client['call']
  /** Several can be sent at once, each at its own time. */
  send(request: Sent): Promise<{ status: number; body: Body }>
  /** Calls the made-up model through the model gateway; the turn is what it says. */
  askModel(question: ModelQuestion): Promise<Body>
  /** A receiver of webhooks on this machine. */
  receiver: Receiver
  orgId: string
  /** A key that may answer approvals, and nothing else. */
  approverKey: string
}

export type Sent = {
  at: Date
  path: string
  body: unknown
  key: string
  /** The name of the program. */
  program?: string
}

export type ModelQuestion = {
  /** The base URL of a connection to Anthropic. */
  baseUrl: string
  turn: Turn
  body: object
}

/** An action at a time of the story. */
export type Step = { at: Date; run(client: Client): Promise<void> }
