import type { Db } from '../../../kernel/db.ts'
import type { Answer } from './retry.ts'

/** Outgoing requests: a checked address, no redirects, a bounded answer (spec: platform §5.2). */
export type Outbound = {
  /** Throws `url_not_allowed` for an address that is refused. */
  assertAllowed(url: string, field?: string): Promise<void>
  post(call: {
    url: string
    headers: Record<string, string>
    body: string
    timeoutMs: number
  }): Promise<Answer>
}

/** Messages of other features to their channels. */
export type Messages = {
  /** The body of a message when it is sent; undefined if there is nothing to send any more. */
  render(channel: string, reference: unknown): Promise<string | undefined>
}

/** The service's signing key; its public key is in GET /v1/keys. */
export type Signer = () => Promise<{
  /** Signs on the worker thread, without blocking. */
  signOnWorker(payload: string): Promise<Buffer>
}>

export type Plans = {
  /** Whether the plan with this id includes webhooks. */
  includesWebhooks(planId: string): boolean
}

export type Orgs = {
  /** Recipients of notices: all owners and the billing address. */
  contacts(orgId: string): Promise<{ name: string; emails: readonly string[] } | undefined>
}

export type Mailer = {
  queue(tx: Db, mail: { kind: string; to: string; subject: string; text: string }): Promise<void>
}
