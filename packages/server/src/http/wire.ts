import { parseInstant } from '@touchstone/protocol/base'
import { type Static, Type } from 'typebox'
import type { PageRequest } from '../kernel/db.ts'
import { invalidField, Problem } from '../kernel/problem.ts'

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

export type PageLimits = { perPageDefault: number; perPageMax: number }

/** spec: interface, Limits. */
const DEFAULT_PAGES: PageLimits = { perPageDefault: 20, perPageMax: 100 }

/** A list is read by page and per_page, or by limit and offset (spec: platform §1.4). */
export function pageQuery({ perPageDefault, perPageMax }: PageLimits) {
  const size = `default ${perPageDefault}; more than ${perPageMax} is lowered to ${perPageMax}`
  return Type.Object({
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, description: 'default 1' })),
    per_page: Type.Optional(Type.Integer({ minimum: 1, description: size })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, description: `instead of page and per_page; ${size}` }),
    ),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: PAGE_MAX,
        description: 'how many entries to skip, instead of page and per_page; default 0',
      }),
    ),
  })
}

export const PageQuery = pageQuery(DEFAULT_PAGES)

/** A size above the maximum is lowered to it and echoed, not rejected (spec: platform §1.4). */
export function toPageRequest(
  query: Static<typeof PageQuery>,
  { perPageDefault, perPageMax }: PageLimits = DEFAULT_PAGES,
): PageRequest {
  const { page, per_page: perPage, limit, offset } = query
  if (limit === undefined && offset === undefined) {
    return { page: page ?? 1, perPage: Math.min(perPage ?? perPageDefault, perPageMax) }
  }
  if (page !== undefined || perPage !== undefined) {
    throw new Problem(
      'invalid_request',
      'Use either page and per_page, or limit and offset, not both.',
    )
  }
  const size = Math.min(limit ?? perPageDefault, perPageMax)
  const skipped = offset ?? 0
  return { page: Math.floor(skipped / size) + 1, perPage: size, offset: skipped }
}

/** `limit` and `offset` are echoed if the list was read by them. */
export const PlaceFields = {
  page: Type.Integer({ description: 'with offset, the page that contains the first entry' }),
  per_page: Type.Integer(),
  limit: Type.Optional(Type.Integer()),
  offset: Type.Optional(Type.Integer()),
}

export const PageFields = { total: Type.Integer(), ...PlaceFields }

export function toPageFields(page: PageRequest & { total: number }) {
  return { total: page.total, ...toPlaceFields(page) }
}

export function toPlaceFields({ page, perPage, offset }: PageRequest) {
  const place = { page, per_page: perPage }
  return offset === undefined ? place : { ...place, limit: perPage, offset }
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
