import type { Db } from '../../../kernel/db.ts'
import type { Answer } from './retry.ts'

/** The only way out: a checked address, no redirects, a bounded answer (04 §5.2). */
export type Outbound = {
  /** Throws url_not_allowed for what may not be called. */
  assertAllowed(url: string): Promise<void>
  post(call: {
    url: string
    headers: Record<string, string>
    body: string
    timeoutMs: number
  }): Promise<Answer>
}

/** The service's signing key; its public half is in GET /v1/keys. */
export type Signer = () => Promise<{
  /** While other work goes on. */
  signAside(payload: string): Promise<Buffer>
}>

export type Plans = {
  /** Whether the plan by that name includes webhooks. */
  includesWebhooks(planId: string): boolean
}

export type Orgs = {
  /** Who is told of what ends: all owners and the billing address. */
  contacts(orgId: string): Promise<{ name: string; emails: readonly string[] } | undefined>
}

export type Mailer = {
  queue(tx: Db, mail: { kind: string; to: string; subject: string; text: string }): Promise<void>
}
