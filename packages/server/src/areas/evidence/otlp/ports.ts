import type { Problem } from '../../../kernel/problem.ts'
import type { OtlpDecision, OtlpTrace } from './evidence.ts'

export type Org = { orgId: string; accountId: string }

export type Agents = {
  /** Those of the organisation among them. */
  forIngest(orgId: string, agentIds: readonly string[]): Promise<readonly { agentId: string }[]>
}

export type Checkpoints = {
  /** In the order given; one that is refused takes no other with it. */
  ingestAll(
    org: Org,
    decisions: readonly OtlpDecision[],
  ): Promise<
    readonly ({ ok: true; result: { duplicate: boolean } } | { ok: false; problem: Problem })[]
  >
}

export type Traces = {
  /** In the order given; one that is refused takes no other with it. */
  ingestAll(
    org: Org,
    traces: readonly OtlpTrace[],
  ): Promise<
    readonly ({ status: 'created' | 'duplicate' } | { status: 'rejected'; problem: Problem })[]
  >
}
