import { parseInstant } from '@touchstone/protocol/base'
import { Type } from 'typebox'
import type { PageRequest } from '../kernel/db.ts'
import { invalidField } from '../kernel/problem.ts'

/** Wire shapes that every area shares (spec: platform §1.1, §1.4). */
export const OrgParams = Type.Object({ org_id: Type.String() })
export const AgentParams = Type.Object({ agent_id: Type.String() })
export const TeamParams = Type.Object({ team_id: Type.String() })

/** Any instant that `parseInstant` accepts, see validators.ts; anything else is 400. */
export const Instant = Type.String({
  format: 'date-time',
  maxLength: 40,
  description:
    'ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)',
})

/** Bounded so that an offset always fits PostgreSQL's bigint. */
const PAGE_MAX = 1_000_000_000

export const PageQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: 1 })),
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, description: 'default 20; more than 100 is lowered to 100' }),
  ),
})

export type PageLimits = { perPageDefault: number; perPageMax: number }

/** spec: interface, Limits. */
const DEFAULT_PAGES: PageLimits = { perPageDefault: 20, perPageMax: 100 }

/** A `per_page` above the maximum is lowered to it and echoed, not rejected (spec: platform §1.4). */
export function toPageRequest(
  query: { page?: number; per_page?: number },
  limits: PageLimits = DEFAULT_PAGES,
): PageRequest {
  return {
    page: query.page ?? 1,
    perPage: Math.min(query.per_page ?? limits.perPageDefault, limits.perPageMax),
  }
}

export const PageFields = {
  total: Type.Integer(),
  page: Type.Integer(),
  per_page: Type.Integer(),
}

/** `toEmail` trims and lower-cases it before use. */
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  // Excludes characters that a mail header or another program could interpret as several addresses.
  pattern: '^\\s*[^\\s@<>()\\[\\],;:"\\\\\\p{Cc}]+@[^\\s@<>()\\[\\],;:"\\\\\\p{Cc}]+\\s*$',
})

export const Nullable = <T extends Type.TSchema>(schema: T, options: Type.TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)

/** A 403 has the further fields if the agent is contained (spec: control §2.2). */
export const ContainmentRefusal = {
  error: Type.String(),
  message: Type.String(),
  type: Type.Optional(Type.Literal('containment_error')),
  reason: Type.Optional(Type.Enum(['agent_paused', 'agent_killed'])),
  agent_id: Type.Optional(Type.String()),
  containment_status: Type.Optional(Type.Enum(['paused', 'killed'])),
  contained_at: Type.Optional(Type.String()),
}

export function toEmail(given: string): string {
  return given.trim().toLowerCase()
}

/** `field` names the value in the error. */
export function toInstant(given: string | undefined, field: string): Date | undefined {
  if (given === undefined) return undefined
  const instant = parseInstant(given)
  if (instant !== undefined) return instant
  throw invalidField(field, 'must be a valid ISO 8601 instant with offset')
}
