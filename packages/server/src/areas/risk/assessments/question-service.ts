import { randomBytes } from 'node:crypto'
import { Problem } from '../../../kernel/problem.ts'
import { type AgentFacts, isKnownTo } from './agent-facts.ts'
import type { Facts } from './facts-service.ts'

const SALT_BYTES = 32

/** Throws if the agent does not exist or is hidden from the organisation. */
export function requireKnownAgent({ byAgent }: Facts, orgId: string, agentId: string): AgentFacts {
  const agent = byAgent.get(agentId)
  if (agent !== undefined && isKnownTo(orgId, agent)) return agent
  throw new Problem('agent_not_found', 'No such agent.')
}

/** Without a salt, the possible inputs are few enough to find the committed ones by brute force. */
export function newSalt(): string {
  return randomBytes(SALT_BYTES).toString('hex')
}

export function invalid(path: string, message: string): Problem {
  const details = [{ path, code: 'invalid', message }]
  return new Problem('validation_error', `${path.slice(1)}: ${message}`, { details })
}

export function erasedConcurrently(): Problem {
  return new Problem('conflict', 'An agent was erased during the assessment. Retry the request.')
}
