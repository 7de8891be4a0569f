import type { GuardedRequest } from './guarded.ts'

/** Names of query and body fields that hold ids of agents. */
const AGENT_FIELD = /(^|_)agent_(ids?|a|b)$/

/** The fields of an object that hold ids of agents. */
export function agentFields(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).filter(([name]) => AGENT_FIELD.test(name))
}

/** Whether a field of the query, named in the plural, holds ids separated by commas. */
export function isList(name: string): boolean {
  return name.endsWith('s')
}

export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.getOwnPropertyDescriptor(value, name)?.value
}

export function declares(schema: unknown, name: string): boolean {
  return fieldOf(fieldOf(schema, 'properties'), name) !== undefined
}

/** The field of the body whose items each name an agent. */
export function listOf({ route }: GuardedRequest): string | undefined {
  if (route.config.agentsIn !== undefined) return route.config.agentsIn
  const { properties } = Object(route.schema?.body)
  const lists = Object.entries(Object(properties))
  return lists.find(([, property]) => declares(fieldOf(property, 'items'), 'agent_id'))?.[0]
}
