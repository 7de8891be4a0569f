import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import { CONTAINMENT_ACTIONS, CONTAINMENT_STATUSES } from './containment.ts'
import { hashedMove, type LogEntry } from './containment-log.ts'
import type { Containment } from './service.ts'
import type { State } from './state-service.ts'

export const AgentParams = Type.Object({ org_id: Type.String(), agent_id: Type.String() })

export const MoveBody = NamedObject('ContainmentRequest', {
  reason: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 500 }))),
})

/** Null while the agent is active. */
const why = {
  contained_at: Nullable(Type.String()),
  contained_by: Nullable(Type.String({ description: 'a user, a key, or system' })),
  containment_reason: Nullable(Type.String()),
}

export const MoveAnswer = NamedObject(
  'ContainmentResult',
  {
    agent_id: Type.String(),
    containment_status: NamedEnum('ContainmentStatus', [...CONTAINMENT_STATUSES]),
    ...why,
  },
  { description: 'The new containment status' },
)

const Entry = NamedObject('ContainmentLogEntry', {
  id: Type.String(),
  action: NamedEnum('ContainmentAction', [...CONTAINMENT_ACTIONS]),
  actor: Type.String({ description: 'a user, a key, or system' }),
  reason: Nullable(Type.String()),
  previous_status: NamedEnum('ContainmentStatus', [...CONTAINMENT_STATUSES]),
  new_status: NamedEnum('ContainmentStatus', [...CONTAINMENT_STATUSES]),
  created_at: Type.String(),
  prev_hash: Type.String({
    description: 'entry_hash of the previous entry; 64 zeros for the first',
  }),
  entry_hash: Type.String({
    description:
      'SHA-256 of prev_hash, a line feed and the RFC 8785 JSON of the entry without its hashes',
  }),
})

export const ContainmentAnswer = NamedObject(
  'Containment',
  {
    agent_id: Type.String(),
    status: NamedEnum('ContainmentStatus', [...CONTAINMENT_STATUSES]),
    ...why,
    auto_containment_threshold: Nullable(Type.Integer()),
    log: Type.Array(Entry, { description: 'the last 50, newest first' }),
  },
  { description: 'The containment status and its log' },
)

export const PolicyBody = NamedObject('ContainmentPolicyChange', {
  auto_containment_threshold: Nullable(
    Type.Integer({
      minimum: 2,
      maximum: 100,
      description:
        'the number of consecutive boundary violations that pause the agent; null to disable',
    }),
  ),
})

export const PolicyAnswer = NamedObject('ContainmentPolicy', {
  agent_id: Type.String(),
  auto_containment_threshold: Nullable(Type.Integer()),
})

function toWhy(state: State) {
  if (state.status === 'active') {
    return { contained_at: null, contained_by: null, containment_reason: null }
  }
  return {
    contained_at: state.containedAt.toISOString(),
    contained_by: state.containedBy,
    containment_reason: state.reason,
  }
}

export function toMoveAnswer(agentId: string, state: State): Static<typeof MoveAnswer> {
  return { agent_id: agentId, containment_status: state.status, ...toWhy(state) }
}

export function toContainment(
  agentId: string,
  { state, threshold, log }: Containment,
): Static<typeof ContainmentAnswer> {
  return {
    agent_id: agentId,
    status: state.status,
    ...toWhy(state),
    auto_containment_threshold: threshold,
    log: log.map(toEntry),
  }
}

function toEntry(entry: LogEntry): Static<typeof Entry> {
  return { ...hashedMove(entry), prev_hash: entry.prevHash, entry_hash: entry.entryHash }
}
