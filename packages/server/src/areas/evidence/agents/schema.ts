import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Email, Nullable, PageFields, PageQuery, toPageFields } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type Agent, type AgentFields, MODES, STATUSES, VISIBILITIES } from './agent.ts'
import type { Enforcement } from './control-service.ts'
import { NUDGE_STRATEGIES } from './control-store.ts'
import type { Registration } from './service.ts'

/** Long enough for a DID (spec: evidence §0). */
const AgentId = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{2,127}$' })
const METADATA_BYTES_MAX = 16 * 1024

const fields = {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })),
  description: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
  visibility: Type.Optional(NamedEnum('Visibility', [...VISIBILITIES])),
  provider: Type.Optional(Nullable(Type.String({ maxLength: 200 }))),
  model: Type.Optional(Nullable(Type.String({ maxLength: 200 }))),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'at most 16 KB' }),
  ),
}

export const NewAgent = NamedObject('NewAgent', {
  agent_id: Type.Optional(AgentId),
  ...fields,
  card: Type.Optional(Type.Unknown({ description: 'an alignment card; by default a minimal one' })),
  agent_hash: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description: 'SHA-256 of a secret that you keep; then no agent_secret is generated',
    }),
  ),
  org_id: Type.Optional(Type.String({ maxLength: 200 })),
})

export const AgentChanges = NamedObject('AgentChanges', fields)

export const AgentQuery = Type.Object({
  agent_id: Type.Optional(Type.String({ description: 'only this agent' })),
  q: Type.Optional(Type.String({ maxLength: 200, description: 'part of the name or id' })),
  visibility: Type.Optional(NamedEnum('Visibility', [...VISIBILITIES])),
  status: Type.Optional(
    NamedEnum('AgentStatus', [...STATUSES], {
      description: 'archived agents are listed only with status=archived',
    }),
  ),
  ...PageQuery.properties,
})

const publicView = {
  agent_id: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  visibility: NamedEnum('Visibility', [...VISIBILITIES]),
  status: NamedEnum('AgentStatus', [...STATUSES]),
  claimed: Type.Boolean(),
  card_id: Type.String(),
  card_version: Type.Integer(),
  created_at: Type.String(),
  updated_at: Type.String(),
}

const ownView = {
  ...publicView,
  org_id: Type.String(),
  owner_user_id: Nullable(Type.String()),
  owner_email: Nullable(Type.String()),
  claimed_at: Nullable(Type.String()),
  enforcement_mode: NamedEnum('EnforcementMode', [...MODES]),
  provider: Nullable(Type.String()),
  model: Nullable(Type.String()),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  last_seen_at: Nullable(Type.String()),
}

export const OwnAgent = NamedObject('Agent', ownView)
/** The public fields are always present; the rest only for the owning organisation. */
export const AnyAgent = NamedObject(
  'AgentView',
  { ...publicView, ...Type.Partial(Type.Object(ownView)).properties },
  { description: 'The agent, with all fields only for its own organisation' },
)

export const Registered = NamedObject(
  'RegisteredAgent',
  {
    agent: OwnAgent,
    agent_secret: Type.Optional(
      Nullable(Type.String({ description: 'shown only once; absent if agent_hash was given' })),
    ),
    warnings: Type.Array(Type.Unknown()),
  },
  { description: 'The agent, and its secret if one was generated' },
)

export const AgentPage = NamedObject('AgentPage', { agents: Type.Array(OwnAgent), ...PageFields })

export const ClaimBody = NamedObject('AgentClaim', {
  hash_proof: Type.String({ maxLength: 200 }),
  email: Type.Optional(Email),
})
export const Claimed = NamedObject(
  'ClaimedAgent',
  {
    claimed: Type.Literal(true),
    agent_id: Type.String(),
    claimed_at: Nullable(Type.String()),
  },
  { description: 'The agent is claimed' },
)

/** The defaults of a new agent (spec: control §2.1). */
const NUDGING = { strategy: 'always', rate: 100, threshold: 3 } as const

export const ModeBody = NamedObject('EnforcementChange', {
  mode: NamedEnum('EnforcementMode', [...MODES]),
  nudge_strategy: Type.Optional(
    NamedEnum('NudgeStrategy', [...NUDGE_STRATEGIES], {
      default: NUDGING.strategy,
      description:
        'which checkpoints with a verdict other than clear the gateway reports to the agent',
    }),
  ),
  nudge_rate: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      default: NUDGING.rate,
      description: 'for sampling: the percentage to report',
    }),
  ),
  nudge_threshold: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: NUDGING.threshold,
      description: 'for threshold: the first one of a session to report',
    }),
  ),
})
export const EnforcementMode = NamedObject(
  'Enforcement',
  {
    agent_id: Type.String(),
    enforcement_mode: NamedEnum('EnforcementMode', [...MODES]),
    nudge_strategy: NamedEnum('NudgeStrategy', [...NUDGE_STRATEGIES]),
    nudge_rate: Type.Integer(),
    nudge_threshold: Type.Integer(),
  },
  { description: 'The enforcement mode of the agent' },
)
export const ModeSet = NamedObject(
  'UpdatedEnforcement',
  {
    ...EnforcementMode.properties,
    updated: Type.Literal(true),
  },
  { description: 'The new enforcement mode of the agent' },
)

/** The whole setting: missing fields get their defaults. */
export function toEnforcement(body: Static<typeof ModeBody>): Enforcement {
  const {
    nudge_strategy: strategy = NUDGING.strategy,
    nudge_rate: rate = NUDGING.rate,
    nudge_threshold: threshold = NUDGING.threshold,
  } = body
  return { mode: body.mode, nudging: { strategy, rate, threshold } }
}

export function toEnforcementMode(
  agentId: string,
  { mode, nudging }: Enforcement,
): Static<typeof EnforcementMode> {
  return {
    agent_id: agentId,
    enforcement_mode: mode,
    nudge_strategy: nudging.strategy,
    nudge_rate: nudging.rate,
    nudge_threshold: nudging.threshold,
  }
}

export const EraseBody = NamedObject('AgentErasureRequest', {
  confirm: Type.String({ maxLength: 200 }),
})
export const ErasureSet = NamedObject(
  'AgentErasure',
  {
    agent_id: Type.String(),
    purge_after: Type.String(),
  },
  { description: 'When the agent will be erased' },
)

export function toPublicAgent(agent: Agent) {
  return {
    agent_id: agent.agentId,
    name: agent.name,
    description: agent.description,
    visibility: agent.visibility,
    status: agent.status,
    claimed: agent.claimedAt !== null,
    card_id: agent.cardId,
    card_version: agent.cardVersion,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
  }
}

export function toOwnAgent(agent: Agent) {
  return {
    ...toPublicAgent(agent),
    org_id: agent.orgId,
    owner_user_id: agent.ownerUserId,
    owner_email: agent.ownerEmail,
    claimed_at: agent.claimedAt?.toISOString() ?? null,
    enforcement_mode: agent.enforcementMode,
    provider: agent.provider,
    model: agent.model,
    metadata: agent.metadata,
    last_seen_at: agent.lastSeenAt?.toISOString() ?? null,
  }
}

export function toAgentPage(page: Page<Agent>) {
  return {
    agents: page.items.map(toOwnAgent),
    ...toPageFields(page),
  }
}

type FieldsBody = { [K in keyof AgentFields]?: AgentFields[K] | undefined }

export function toFields(body: FieldsBody): Partial<AgentFields> {
  const { metadata } = body
  if (metadata !== undefined && Buffer.byteLength(JSON.stringify(metadata)) > METADATA_BYTES_MAX) {
    throw new Problem('invalid_request', 'metadata: must be at most 16 KB')
  }
  const given = Object.entries({
    name: body.name?.trim(),
    description: body.description,
    visibility: body.visibility,
    provider: body.provider,
    model: body.model,
    metadata,
  }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given)
}

export function toRegistration(
  body: FieldsBody & { agent_id?: string; agent_hash?: string; card?: unknown },
): Registration {
  return {
    ...toFields(body),
    agentId: body.agent_id,
    agentHash: body.agent_hash?.toLowerCase(),
    card: body.card,
  }
}
