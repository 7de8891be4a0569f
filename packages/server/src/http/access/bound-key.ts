import type { preHandlerHookHandler } from 'fastify'
import { Problem, toError } from '../../kernel/problem.ts'
import { boundAgentOf } from '../identity/caller.ts'
import { agentFields, declares, fieldOf, isList, listOf } from './agent-fields.ts'
import type { GuardedRequest } from './guarded.ts'

type Route = GuardedRequest['route']

/**
 * Confines a key that is bound to an agent (spec: decisions §6). The agent is named in the path, the
 * query or the body, or the handler finds it and passes it to `enterTenant`. Every other route is
 * refused, so a new route is closed to these keys until its agent is known.
 */
export function confineToAgent(req: GuardedRequest): void {
  const agentId = boundAgentOf(req.caller)
  if (agentId === undefined) return
  const inPath = fieldOf(req.params, 'agent_id')
  assertOwn(req, agentId, inPath)
  for (const [name, value] of agentFields(req.query)) {
    assertOwn(req, agentId, isList(name) ? String(value).split(',') : value)
  }
  const { tenantFrom, agentFrom } = req.route.config
  if (inPath !== undefined && tenantFrom !== 'team') return
  if (tenantFrom === 'handler' || agentFrom === 'handler') return
  if (declares(req.route.schema?.querystring, 'agent_id')) {
    // The filter of a list: without it, the list would contain other agents.
    Object.assign(Object(req.query), { agent_id: agentId })
    return
  }
  if (!namesAgentInBody(req)) throw notForBoundKeys(agentId)
}

/**
 * Checks the agents in the body, after it was parsed and validated. Items of a list that name none get
 * the agent of the key.
 */
export const confineBody: preHandlerHookHandler = (req, _reply, done) => {
  const agentId = boundAgentOf(req.caller)
  const { agentFrom } = req.routeOptions.config
  if (agentId === undefined || agentFrom === 'handler' || Buffer.isBuffer(req.body)) {
    done()
    return
  }
  try {
    assertBody(req, agentId)
  } catch (err) {
    done(toError(err))
    return
  }
  done()
}

function assertBody(req: GuardedRequest, agentId: string): void {
  const { body } = req.route.schema ?? {}
  const named = agentFields(req.body).filter(([name]) => declares(body, name))
  for (const [, value] of named) assertOwn(req, agentId, value)
  const list = listOf(req)
  const items: unknown = list === undefined ? undefined : fieldOf(req.body, list)
  if (Array.isArray(items)) {
    for (const item of items) {
      assertOwn(req, agentId, fieldOf(item, 'agent_id'))
      nameAgent(item, agentId)
    }
    return
  }
  const isRequired = fieldOf(req.params, 'agent_id') === undefined && namesAgentInBody(req)
  if (!isRequired || named.length > 0) return
  if (req.route.config.agentFrom !== 'key') throw notForBoundKeys(agentId)
  nameAgent(req.body, agentId)
}

function nameAgent(value: unknown, agentId: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  if (fieldOf(value, 'agent_id') === undefined) Object.assign(value, { agent_id: agentId })
}

/** The refusal of everything that is not about the agent of the key. */
export function notForBoundKeys(agentId: string): Problem {
  return new Problem(
    'forbidden',
    `This API key is bound to agent ${agentId} and can only be used for that agent.`,
  )
}

/** Whether the query or the body of a route can name an agent, and so one that is not found. */
export function canNameAgent({ config, schema }: Pick<Route, 'config' | 'schema'>): boolean {
  if (config.agentsIn !== undefined) return true
  const parts = [schema?.querystring, schema?.body].map((part) => fieldOf(part, 'properties'))
  return parts.some((properties) => agentFields(properties).length > 0)
}

function assertOwn(req: GuardedRequest, agentId: string, named: unknown): void {
  const all = Array.isArray(named) ? named : [named]
  if (all.every((one) => one === undefined || one === agentId)) return
  throw new Problem(req.route.config.unknownAgent ?? 'agent_not_found', 'No such agent.')
}

function namesAgentInBody(req: GuardedRequest): boolean {
  return declares(req.route.schema?.body, 'agent_id') || listOf(req) !== undefined
}
