import { createBatcher } from '../../../kernel/batcher.ts'
import { type Decisions, loadNamed } from '../../../record-origin.ts'
import type { Agents, IngestAgent, Ledger } from './ports.ts'
import type { KnownSubmission } from './submission.ts'

/** Few, so that the requests of a busy moment share their reads. */
const CONCURRENT_READS_MAX = 2
const SHARED_MAX = 50

export type FactsDeps = { agents: Agents; ledger: Ledger; decisions: Decisions }

/** The ids that some submissions of one organisation name. */
export type Named = {
  orgId: string
  agentIds: readonly string[]
  checkpointIds: readonly string[]
  decisionIds: readonly string[]
}

/** The records stored under those ids; nothing of other organisations except earlier checkpoints. */
export type Facts = {
  agents: ReadonlyMap<string, IngestAgent>
  known: ReadonlyMap<string, KnownSubmission>
  decisions: Awaited<ReturnType<typeof loadNamed>>
}

/**
 * Reads what the admission of submissions needs. Requests that arrive during running reads share the
 * next one, because agents that work in parallel send many checkpoints one by one.
 */
export function createFactsReader(deps: FactsDeps): (named: Named) => Promise<Facts> {
  const batcher = createBatcher<Named, Facts>({
    async run(batch) {
      const facts = await read(deps, batch)
      return batch.map(() => facts)
    },
    itemsMax: SHARED_MAX,
    ageMsMax: 0,
    groupOf: ({ orgId }) => orgId,
    concurrency: CONCURRENT_READS_MAX,
    // A read fails because of the database, not because of one of its ids.
    failTogether: () => true,
  })
  return (named) => batcher.add(named)
}

async function read(deps: FactsDeps, batch: readonly Named[]): Promise<Facts> {
  const orgId = batch[0]?.orgId ?? ''
  const all = (of: (named: Named) => readonly string[]) => [...new Set(batch.flatMap(of))]
  const agentIds = all((named) => named.agentIds)
  const agents = agentIds.length === 0 ? [] : await deps.agents.forIngest(orgId, agentIds)
  const known = await deps.ledger.findKnown(all((named) => named.checkpointIds))
  const decisionIds = all((named) => named.decisionIds)
  return {
    agents: new Map(agents.map((agent) => [agent.agentId, agent])),
    known: new Map(known.map((one) => [one.checkpointId, one])),
    decisions: await loadNamed(deps.decisions, orgId, decisionIds),
  }
}
