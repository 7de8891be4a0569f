import type { Checkpoint as CheckpointValue, SealedCheckpoint } from '@touchstone/protocol/evidence'
import { type Static, Type } from 'typebox'
import {
  checkpointFields,
  toCheckpointFields,
  Verdict,
  VerdictCounts,
} from '../../../checkpoint-wire.ts'
import { NamedObject } from '../../../http/openapi/named.ts'
import {
  Instant,
  Nullable,
  PageFields,
  PageQuery,
  toInstant,
  toPageFields,
} from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import { Provenance } from '../../../provenance-wire.ts'
import { scoringSetSize } from './head.ts'
import type { Integrity as IntegrityValue } from './service.ts'
import { isStable, type Session } from './session.ts'
import type { CheckpointFilter } from './store.ts'

const Text = Type.String()

export const CheckpointParams = Type.Object({ checkpoint_id: Type.String() })

export const CheckpointQuery = Type.Object({
  verdict: Type.Optional(Verdict),
  session_id: Type.Optional(Type.String({ maxLength: 128 })),
  synthetic: Type.Optional(Type.Boolean()),
  flagged: Type.Optional(Type.Boolean()),
  provenance: Type.Optional(Provenance),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
  ...PageQuery.properties,
})
export const SessionQuery = PageQuery

export const Checkpoint = NamedObject('Checkpoint', {
  checkpoint_id: Text,
  ...checkpointFields,
  log_index: Nullable(
    Type.Integer({ description: 'its entry in the witnessed log, once it has one' }),
  ),
})

export const CheckpointPage = NamedObject('CheckpointPage', {
  checkpoints: Type.Array(Checkpoint),
  ...PageFields,
})

export const Integrity = NamedObject(
  'AgentIntegrity',
  {
    agent_id: Text,
    total_checks: Type.Integer(),
    analyzed_checks: Type.Integer(),
    clear_count: Type.Integer(),
    review_count: Type.Integer(),
    violation_count: Type.Integer(),
    integrity_ratio: Type.Number(),
    latest_verdict: Nullable(Verdict),
  },
  { description: 'The counts of the checkpoints of the agent' },
)

export const SessionPage = NamedObject('SessionPage', {
  sessions: Type.Array(
    NamedObject('Session', {
      session_id: Text,
      checkpoint_count: Type.Integer(),
      analyzed_count: Type.Integer(),
      verdicts: VerdictCounts,
      stable: Type.Boolean(),
      started_at: Text,
      last_at: Text,
    }),
  ),
  ...PageFields,
})

export function toFilter(agentId: string, query: Static<typeof CheckpointQuery>): CheckpointFilter {
  return {
    agentId,
    verdict: query.verdict,
    sessionId: query.session_id,
    synthetic: query.synthetic,
    flagged: query.flagged,
    provenance: query.provenance,
    from: toInstant(query.from, 'from'),
    to: toInstant(query.to, 'to'),
  }
}

type LogIndexes = ReadonlyMap<string, number>

export function toCheckpoint(
  value: CheckpointValue,
  logIndexes: LogIndexes,
): Static<typeof Checkpoint> {
  const { checkpointId } = value
  return {
    checkpoint_id: checkpointId,
    ...toCheckpointFields(value),
    log_index: logIndexes.get(checkpointId) ?? null,
  }
}

export function toCheckpointPage(
  page: Page<SealedCheckpoint>,
  logIndexes: LogIndexes,
): Static<typeof CheckpointPage> {
  return {
    checkpoints: page.items.map(({ checkpoint }) => toCheckpoint(checkpoint, logIndexes)),
    ...toPageFields(page),
  }
}

export function toIntegrity(agentId: string, value: IntegrityValue): Static<typeof Integrity> {
  const { verdicts } = value.counts
  return {
    agent_id: agentId,
    total_checks: value.total,
    analyzed_checks: scoringSetSize(value.counts),
    clear_count: verdicts.clear,
    review_count: verdicts.review_needed,
    violation_count: verdicts.boundary_violation,
    integrity_ratio: value.ratio,
    latest_verdict: value.latestVerdict,
  }
}

export function toSessionPage(page: Page<Session>): Static<typeof SessionPage> {
  return {
    sessions: page.items.map((session) => {
      const { verdicts } = session
      return {
        session_id: session.sessionId,
        checkpoint_count: session.checkpointCount,
        analyzed_count: verdicts.clear + verdicts.review_needed + verdicts.boundary_violation,
        verdicts,
        stable: isStable(session),
        started_at: session.startedAt?.toISOString() ?? '',
        last_at: session.lastAt?.toISOString() ?? '',
      }
    }),
    ...toPageFields(page),
  }
}
