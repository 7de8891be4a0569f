import type { RecordSource } from '@touchstone/protocol/evidence'
import type { Problem } from '../../../kernel/problem.ts'
import type { Spans } from '../../../telemetry/spans.ts'
import {
  type AdmissionDeps,
  type AdmittedItem,
  admitAll,
  agentNotFound,
  type Delivery,
} from './admission-service.ts'
import { checkpointSpan } from './checkpoint-span.ts'
import {
  type CommitDeps,
  type CommittedItem,
  createCommitter,
  hasAlert,
  type IngestResult,
} from './commit-service.ts'
import { createFactsReader, type FactsDeps } from './facts-service.ts'
import type { IngestAgent, Sender } from './ports.ts'
import type { GivenSubmission } from './submission.ts'
import { createViolations } from './violation-service.ts'

export type IntakeDeps = Omit<AdmissionDeps, 'facts'> &
  FactsDeps &
  CommitDeps & {
    /** Undefined unless the operator enabled tracing. */
    spans: Spans | undefined
    onStored(result: IngestResult): void
  }

/** Not stored, so it has no seal. */
export type DryRunResult = Omit<IngestResult, 'seal'>

export type IngestOutcome = { ok: true; result: IngestResult } | { ok: false; problem: Problem }

export type IntakeService = ReturnType<typeof createIntakeService>

export function createIntakeService(given: IntakeDeps) {
  const deps = { ...given, facts: createFactsReader(given) }
  const commit = createCommitter(deps)
  /** In the order given. A rejected item does not stop the rest. */
  const ingestAll = async (org: Sender, delivery: Delivery): Promise<IngestOutcome[]> => {
    const items = await admitAll(deps, org, delivery)
    const analysed = items.flatMap((item) => (item.kind === 'analysed' ? [item.arrival] : []))
    const committed = analysed.length === 0 ? [] : await commit(analysed)
    const outcomes: IngestOutcome[] = []
    for (const item of items) {
      const final = item.kind === 'analysed' ? committed.shift() : item
      outcomes.push(await toOutcome(deps, final))
    }
    return outcomes
  }
  return {
    prepareViolations: createViolations({
      ...deps,
      onStored: (result) => announceStored(deps, result),
    }),

    ingestAll,

    async ingest(
      org: Sender,
      submission: GivenSubmission,
      source: RecordSource,
    ): Promise<IngestResult> {
      const [outcome] = await ingestAll(org, { given: [submission], source })
      if (outcome === undefined) throw new Error('a submission without an outcome')
      if (outcome.ok) return outcome.result
      throw outcome.problem
    },

    /** Analyses only: stores nothing, emits no event and counts towards no meter. */
    async dryRun(
      org: Sender,
      submission: GivenSubmission,
      source: RecordSource,
    ): Promise<DryRunResult> {
      const given = [{ ...submission, checkpointId: undefined }]
      const [item] = await admitAll(deps, org, { given, source })
      if (item?.kind === 'rejected') throw item.problem
      if (item?.kind !== 'analysed') throw new Error('a dry run cannot be a duplicate')
      const { ingestAgent } = item.arrival
      const preview = await deps.ledger.preview(item.arrival)
      if (preview === undefined) throw agentNotFound()
      const { checkpoint, window } = preview
      const driftAlertActive = await hasAlert(deps.drift, deps.db, preview)
      return {
        checkpoint,
        duplicate: false,
        mode: ingestAgent.enforcementMode,
        window: { ...window, driftAlertActive },
      }
    },
  }
}

function announceStored(deps: IntakeDeps, result: IngestResult): void {
  deps.onStored(result)
  deps.spans?.record(checkpointSpan(result))
}

async function toOutcome(
  deps: IntakeDeps,
  item: AdmittedItem | CommittedItem | undefined,
): Promise<IngestOutcome> {
  if (item?.kind === 'rejected') return { ok: false, problem: item.problem }
  if (item?.kind === 'duplicate') return { ok: true, result: await recall(deps, item) }
  if (item?.kind !== 'stored') throw new Error('an analysed item was not committed')
  announceStored(deps, item.result)
  return { ok: true, result: item.result }
}

/** A submission sent again gets the stored result. */
async function recall(
  deps: IntakeDeps,
  known: { checkpointId: string; agent: IngestAgent },
): Promise<IngestResult> {
  const found = await deps.ledger.recall(known.checkpointId)
  if (found === undefined) throw agentNotFound()
  const { checkpoint, seal, window } = found
  const driftAlertActive = await hasAlert(deps.drift, deps.db, found)
  return {
    checkpoint,
    seal,
    duplicate: true,
    mode: known.agent.enforcementMode,
    window: { ...window, driftAlertActive },
  }
}
