import { TRUST_LEVELS } from '@touchstone/protocol/control'
import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import {
  Nullable,
  PageFields,
  type PageLimits,
  pageQuery,
  toPageFields,
} from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import type { NewEdge } from './service.ts'
import { DIRECTIONS, EDGES_MAX, type StoredEdge } from './trust-edge.ts'

export const EdgeParams = Type.Object({ agent_id: Type.String(), edge_id: Type.String() })

/** One page holds all outgoing edges of an agent; incoming ones are not limited. */
export const EDGE_PAGES: PageLimits = { perPageDefault: EDGES_MAX, perPageMax: EDGES_MAX }

export const EdgeQuery = Type.Object({
  direction: Type.Optional(
    NamedEnum('TrustDirection', [...DIRECTIONS], {
      default: 'out',
      description: 'out: agents that it trusts; in: agents that trust it',
    }),
  ),
  ...pageQuery(EDGE_PAGES).properties,
})

export const TargetQuery = Type.Object({
  target_agent_id: Type.String({ minLength: 1, maxLength: 128 }),
})

export const NewEdgeBody = NamedObject('NewTrustEdge', {
  target_agent_id: Type.String({ minLength: 1, maxLength: 128 }),
  trust_level: Type.Optional(NamedEnum('TrustLevel', [...TRUST_LEVELS], { default: 'medium' })),
  reason: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 500 }))),
})

export const Edge = NamedObject('TrustEdge', {
  id: Type.String(),
  source_agent_id: Type.String(),
  target_agent_id: Type.String(),
  trust_level: NamedEnum('TrustLevel', [...TRUST_LEVELS]),
  reason: Nullable(Type.String()),
  created_at: Type.String(),
})

export const EdgePage = NamedObject('TrustEdgePage', {
  trust_edges: Type.Array(Edge),
  ...PageFields,
})

export function toNewEdge(sourceAgentId: string, body: Static<typeof NewEdgeBody>): NewEdge {
  return {
    sourceAgentId,
    targetAgentId: body.target_agent_id,
    trustLevel: body.trust_level ?? 'medium',
    reason: body.reason ?? null,
  }
}

export function toEdge(edge: StoredEdge): Static<typeof Edge> {
  return {
    id: edge.edgeId,
    source_agent_id: edge.sourceAgentId,
    target_agent_id: edge.targetAgentId,
    trust_level: edge.trustLevel,
    reason: edge.reason,
    created_at: edge.createdAt.toISOString(),
  }
}

export function toEdgePage(page: Page<StoredEdge>): Static<typeof EdgePage> {
  return {
    trust_edges: page.items.map(toEdge),
    ...toPageFields(page),
  }
}
