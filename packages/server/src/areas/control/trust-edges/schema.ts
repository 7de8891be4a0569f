import { TRUST_LEVELS } from '@touchstone/protocol/control'
import { type Static, Type } from 'typebox'
import type { PageLimits } from '../../../http/wire.ts'
import { Nullable, PageFields, PageQuery } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import type { NewEdge } from './service.ts'
import { DIRECTIONS, EDGES_MAX, type StoredEdge } from './trust-edge.ts'

export const EdgeParams = Type.Object({ agent_id: Type.String(), edge_id: Type.String() })

/** All that an agent declared fits on one page; those who trust it may be very many. */
export const EDGE_PAGES: PageLimits = { perPageDefault: EDGES_MAX, perPageMax: EDGES_MAX }

export const EdgeQuery = Type.Object({
  direction: Type.Optional(
    Type.Enum([...DIRECTIONS], {
      default: 'out',
      description: 'out: whom the agent trusts; in: who trusts it',
    }),
  ),
  page: PageQuery.properties.page,
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, description: 'default 200; more is lowered to it' }),
  ),
})

export const TargetQuery = Type.Object({
  target_agent_id: Type.String({ minLength: 1, maxLength: 128 }),
})

export const NewEdgeBody = Type.Object({
  target_agent_id: Type.String({ minLength: 1, maxLength: 128 }),
  trust_level: Type.Optional(Type.Enum([...TRUST_LEVELS], { default: 'medium' })),
  reason: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 500 }))),
})

export const Edge = Type.Object({
  id: Type.String(),
  source_agent_id: Type.String(),
  target_agent_id: Type.String(),
  trust_level: Type.Enum([...TRUST_LEVELS]),
  reason: Nullable(Type.String()),
  created_at: Type.String(),
})

export const EdgePage = Type.Object({ trust_edges: Type.Array(Edge), ...PageFields })

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
    total: page.total,
    page: page.page,
    per_page: page.perPage,
  }
}
