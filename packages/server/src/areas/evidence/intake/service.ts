import { summariseWindow, windowBefore } from '@touchstone/protocol/evidence'
import type { Problem } from '../../../kernel/problem.ts'
import type { Spans } from '../../../telemetry/spans.ts'
import { place } from '../ledger/placement.ts'
import { createCheckpointStore } from '../ledger/store.ts'
import {
  followedSession,
  type IntakeDeps,
  type Item,
  noAgent,
  prepareAll,
} from './admission-service.ts'
import { checkpointSpan } from './checkpoint-span.ts'
import {
  type Checked,
  createStorer,
  hasAlert,
  type StoreDeps,
  type Stored,
} from './commit-service.ts'
import type { IngestAgent, Org } from './ports.ts'
import type { Submission } from './submission.ts'

export type IngestDeps = IntakeDeps &
  StoreDeps & {
    /** Absent unless the operator wants tracing. */
    spans: Spans | undefined
    onChecked(checked: Checked): void
  }

/** Analysed only: it has no place in any chain. */
export type DryRun = Omit<Checked, 'seal'>

export type Outcome = { ok: true; checked: Checked } | { ok: false; problem: Problem }

export function createIngestService(deps: IngestDeps) {
  const store = createStorer(deps)
  /** In the order given; one that is refused takes no other with it. */
  const ingestAll = async (
    org: Org,
    given: readonly (Submission | Problem)[],
  ): Promise<Outcome[]> => {
    const items = await prepareAll(deps, org, given)
    const waiting = items.flatMap((item) => (item.kind === 'examined' ? [item.prepared] : []))
    const stored = waiting.length === 0 ? [] : await store(waiting)
    const outcomes: Outcome[] = []
    for (const item of items) {
      const result = item.kind === 'examined' ? stored.shift() : item
      outcomes.push(await conclude(deps, result))
    }
    return outcomes
  }
  return {
    ingestAll,

    async ingest(org: Org, submission: Submission): Promise<Checked> {
      const [outcome] = await ingestAll(org, [submission])
      if (outcome === undefined) throw new Error('a submission without an outcome')
      if (outcome.ok) return outcome.checked
      throw outcome.problem
    },

    /** Nothing is stored, counted or told to anybody. */
    async dryRun(org: Org, submission: Submission): Promise<DryRun> {
      const [item] = await prepareAll(deps, org, [{ ...submission, checkpointId: undefined }])
      if (item?.kind === 'refused') throw item.problem
      if (item?.kind !== 'examined') throw new Error('a dry run has no twin')
      const { decision, ingestAgent } = item.prepared
      const around = await followedSession(deps.db, decision)
      const head = await createCheckpointStore(deps.db).findHead(decision.agentId)
      if (head === undefined) throw noAgent()
      const rules = { antiGaming: 'record', now: deps.clock.now() } as const
      const placed = place(item.prepared, { head: { ...head, recentAt: [] }, ...around }, [], rules)
      const driftAlertActive = await hasAlert(deps.drift, deps.db, around.session)
      return {
        checkpoint: placed.checkpoint,
        duplicate: false,
        mode: ingestAgent.enforcementMode,
        window: { ...placed.summary, driftAlertActive },
      }
    },
  }
}

async function conclude(deps: IngestDeps, stored: Item | Stored | undefined): Promise<Outcome> {
  if (stored?.kind === 'refused') return { ok: false, problem: stored.problem }
  if (stored?.kind === 'known') return { ok: true, checked: await recall(deps, stored) }
  if (stored?.kind !== 'stored') throw new Error('an item was lost')
  deps.onChecked(stored.checked)
  deps.spans?.record(checkpointSpan(stored.checked))
  return { ok: true, checked: stored.checked }
}

/** A decision sent again is answered with what was found the first time. */
async function recall(
  deps: IngestDeps,
  known: { checkpointId: string; agent: IngestAgent },
): Promise<Checked> {
  const found = await createCheckpointStore(deps.db).find(known.checkpointId)
  if (found === undefined) throw noAgent()
  const { session, window } = await followedSession(deps.db, found.checkpoint)
  const summary = summariseWindow(windowBefore(window, deps.clock.now()))
  return {
    ...found,
    duplicate: true,
    mode: known.agent.enforcementMode,
    window: { ...summary, driftAlertActive: await hasAlert(deps.drift, deps.db, session) },
  }
}
