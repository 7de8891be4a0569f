import type { preHandlerAsyncHookHandler } from 'fastify'
import { agentFields, declares, fieldOf, isList, listOf } from './agent-fields.ts'
import type { GuardedRequest } from './guarded.ts'

/** Ids of agents as they were registered, by ids that are equal in canonical form. */
export type RegisteredIds = {
  /** Undefined if it is not cached. */
  get(agentId: string): string | undefined
  /** In the order given; an id of no agent stays as it is. */
  find(agentIds: readonly string[]): Promise<string[]>
}

/** spec: evidence §0. Nothing else is looked up. */
const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{2,127}$/

/** One place in a request that names an agent. */
type Naming = { agentId: string; replace(registered: string): void }

/**
 * Replaces the ids of agents in path and query by those they were registered with, so that everything
 * after it compares ids exactly (spec: provenance §6).
 */
export function useRegisteredIds(
  req: GuardedRequest,
  ids: RegisteredIds,
): Promise<void> | undefined {
  const { params, query } = req
  const path = namingsIn(params, 'agent_id')
  const inQuery = agentFields(query).flatMap(([name]) =>
    isList(name) ? namingsInText(query, name) : namingsIn(query, name),
  )
  return replaceAll([...path, ...inQuery], ids)
}

/** The same for the body, after it was parsed and validated. */
export function createBodyIds(ids: RegisteredIds): preHandlerAsyncHookHandler {
  return async (req) => {
    const { body, route } = req
    if (body === undefined || Buffer.isBuffer(body) || route.config.registersAgent === true) return
    await replaceAll(namingsInBody(req), ids)
  }
}

function namingsInBody(req: GuardedRequest): Naming[] {
  const { body } = req
  const { fields, list, parts } = placesOf(req)
  const namings: Naming[] = []
  for (const name of fields) {
    const value = fieldOf(body, name)
    if (Array.isArray(value)) {
      for (const index of value.keys()) namings.push(...namingsIn(value, String(index)))
    } else namings.push(...namingsIn(body, name))
  }
  const items: unknown = list === undefined ? undefined : fieldOf(body, list)
  if (Array.isArray(items)) {
    for (const item of items) namings.push(...namingsIn(item, 'agent_id'))
  }
  for (const name of parts) namings.push(...namingsIn(fieldOf(body, name), 'agent_id'))
  return namings
}

/** The places in the body of a route that can name agents, as its schema declares them. */
type Places = {
  fields: readonly string[]
  /** The field whose items each name an agent. */
  list: string | undefined
  /** Objects that name an agent. */
  parts: readonly string[]
}

const places = new WeakMap<GuardedRequest['route'], Places>()

/** Found once per route, because reading a schema takes longer than reading the body. */
function placesOf(req: GuardedRequest): Places {
  const known = places.get(req.route)
  if (known !== undefined) return known
  const { properties } = Object(req.route.schema?.body)
  const found = {
    fields: agentFields(properties).map(([name]) => name),
    list: listOf(req),
    parts: Object.entries(Object(properties)).flatMap(([name, part]) =>
      declares(part, 'agent_id') ? [name] : [],
    ),
  }
  places.set(req.route, found)
  return found
}

function namingsIn(holder: unknown, name: string): Naming[] {
  const value = fieldOf(holder, name)
  if (typeof value !== 'string' || !AGENT_ID.test(value)) return []
  return [
    {
      agentId: value,
      replace: (registered) => Object.assign(Object(holder), { [name]: registered }),
    },
  ]
}

/** Ids separated by commas, of which each is replaced in its place. */
function namingsInText(holder: unknown, name: string): Naming[] {
  const parts = String(fieldOf(holder, name)).split(',')
  return parts.flatMap((part, index) => {
    const agentId = part.trim()
    if (!AGENT_ID.test(agentId)) return []
    const replace = (registered: string): void => {
      parts[index] = registered
      Object.assign(Object(holder), { [name]: parts.join(',') })
    }
    return [{ agentId, replace }]
  })
}

/** Without a promise if all ids are cached, as those of busy agents are. */
function replaceAll(namings: readonly Naming[], ids: RegisteredIds): Promise<void> | undefined {
  const missing: Naming[] = []
  for (const naming of namings) {
    const registered = ids.get(naming.agentId)
    if (registered === undefined) missing.push(naming)
    else if (registered !== naming.agentId) naming.replace(registered)
  }
  if (missing.length === 0) return undefined
  return load(missing, ids)
}

async function load(missing: readonly Naming[], ids: RegisteredIds): Promise<void> {
  const found = await ids.find(missing.map(({ agentId }) => agentId))
  missing.forEach((naming, index) => {
    const registered = found[index] ?? naming.agentId
    if (registered !== naming.agentId) naming.replace(registered)
  })
}
