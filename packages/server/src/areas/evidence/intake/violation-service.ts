import { NO_TEXT } from '@touchstone/protocol/evidence'
import type { Db } from '../../../kernel/db.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Arrival } from './admission-service.ts'
import {
  type CommitDeps,
  type CommittedItem,
  commitAll,
  type IngestResult,
  toArriving,
} from './commit-service.ts'
import type { Analysis, IngestAgent, Org } from './ports.ts'
import { examinationOf, submissionOf, type Violation } from './violation.ts'

type ViolationDeps = CommitDeps & { analysis: Analysis; onStored(result: IngestResult): void }

export type PreparedViolations = {
  /**
   * Stores the checkpoints in the transaction of the caller. Returns their ids in order; null if the
   * agent is archived or erased.
   */
  store(tx: Db): Promise<readonly (string | null)[]>
  /** To be called after commit. */
  settled(): void
}

/** A finding by another feature is a violation of its own, with the policy's type of violation. */
const POLICY_FAILED = { violations: [], policyFailed: true }

/** Stores boundary violations that no analyser found, as checkpoints like any other. */
export function createViolations(deps: ViolationDeps) {
  const arrivalOf = async (
    org: Org,
    agent: IngestAgent,
    violation: Violation,
  ): Promise<Arrival> => {
    const { agentId, cardVersion: version } = agent
    return {
      submission: submissionOf(violation),
      checkpointId: newId('ic'),
      examination: examinationOf(violation),
      basis: await deps.analysis.basisOf({ orgId: org.orgId, agentId, version }),
      agent,
      trace: POLICY_FAILED,
      source: { kind: 'gateway' },
      windowShown: undefined,
      traits: NO_TEXT,
      sentBy: 'service',
      org,
      // The agent's row is locked first, so that its erasure cannot deadlock with the caller.
      ingestAgent: { ...agent, quiet: true },
    }
  }

  /** Reads all that is needed, so that the transaction of the caller is short. */
  return async (org: Org, violations: readonly Violation[]): Promise<PreparedViolations> => {
    const agentIds = [...new Set(violations.map(({ agentId }) => agentId))]
    const agents = await deps.agents.forIngest(org.orgId, agentIds)
    const open = new Map(
      agents.flatMap((agent) => (agent.archived ? [] : [[agent.agentId, agent]])),
    )
    const arrivals: Arrival[] = []
    for (const violation of violations) {
      const agent = open.get(violation.agentId)
      if (agent !== undefined) arrivals.push(await arrivalOf(org, agent, violation))
    }
    const arriving = arrivals.map(toArriving)
    const signer = await deps.attestation.signer()
    let committed: readonly CommittedItem[] = []
    return {
      async store(tx) {
        committed =
          arrivals.length === 0 ? [] : await commitAll(deps, tx, { signer, arrivals, arriving })
        const items = committed.values()
        return violations.map(({ agentId }) => {
          const item = open.has(agentId) ? items.next().value : undefined
          return item?.kind === 'stored' ? item.result.checkpoint.checkpointId : null
        })
      },
      settled() {
        for (const watcher of deps.watchers()) watcher.settled(arriving)
        for (const item of committed) if (item.kind === 'stored') deps.onStored(item.result)
      },
    }
  }
}
