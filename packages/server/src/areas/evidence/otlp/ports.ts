import type { Problem } from '../../../kernel/problem.ts'
import type { OtlpSubmission, OtlpTrace } from './evidence.ts'

export type Org = { orgId: string; accountId: string }

/** With the credential that sent the spans: the id of an API key, or `user`. */
export type Sender = Org & { sentBy: string }

export type Agents = {
  /** Omits agents of other organisations. */
  forIngest(orgId: string, agentIds: readonly string[]): Promise<readonly { agentId: string }[]>
  registeredIds: {
    /** Ids as they were registered, in the order given; an id of no agent stays as it is. */
    find(agentIds: readonly string[]): Promise<readonly string[]>
  }
}

export type Checkpoints = {
  /** In the order given. A rejected item does not stop the rest. */
  ingestAll(
    sender: Sender,
    submissions: readonly OtlpSubmission[],
  ): Promise<
    readonly ({ ok: true; result: { duplicate: boolean } } | { ok: false; problem: Problem })[]
  >
}

export type Traces = {
  /** In the order given. A rejected item does not stop the rest. */
  ingestAll(
    org: Org,
    traces: readonly OtlpTrace[],
  ): Promise<
    readonly ({ status: 'created' | 'duplicate' } | { status: 'rejected'; problem: Problem })[]
  >
}
