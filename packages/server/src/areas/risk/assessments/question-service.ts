import { randomBytes } from 'node:crypto'
import { Problem } from '../../../kernel/problem.ts'
import { type AgentFacts, isKnownTo } from './agent-facts.ts'
import type { Facts } from './facts-service.ts'

const SALT_BYTES = 32

/** Throws for an agent that is not there, or that the organisation may not know of. */
export function knownAgent({ byAgent }: Facts, orgId: string, agentId: string): AgentFacts {
  const agent = byAgent.get(agentId)
  if (agent !== undefined && isKnownTo(orgId, agent)) return agent
  throw new Problem('agent_not_found', 'No such agent.')
}

/** Hides the inputs in their commitment: without it, few enough are possible to try them all. */
export function newSalt(): string {
  return randomBytes(SALT_BYTES).toString('hex')
}

export function refusal(path: string, message: string): Problem {
  const details = [{ path, code: 'invalid', message }]
  return new Problem('validation_error', `${path.slice(1)}: ${message}`, { details })
}

export function erasedMeanwhile(): Problem {
  return new Problem('conflict', 'An agent was erased meanwhile. Ask again.')
}
