import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { useAgents } from '../session/use-agents.ts'
import { useOrgId } from '../session/use-org-id.ts'
import { classNames } from '../ui/class-names.ts'

/** The name of an agent of the organisation; its id until the names are loaded, and if it was erased. */
export function useAgentName(): (agentId: string) => string {
  const agents = useAgents().data?.agents
  return (agentId) => agents?.find((agent) => agent.agent_id === agentId)?.name ?? agentId
}

const WORD = /[\w.:-]*\w/g

/** Replaces the ids of these agents in a text of the service by their names. */
export function useAgentNamesIn(): (text: string, agentIds: readonly string[]) => string {
  const nameOf = useAgentName()
  return (text, agentIds) =>
    text.replace(WORD, (word) => (agentIds.includes(word) ? nameOf(word) : word))
}

const TARGETS = {
  overview: '/o/$orgId/agents/$agentId',
  violations: '/o/$orgId/agents/$agentId/violations',
  drift: '/o/$orgId/agents/$agentId/drift',
  control: '/o/$orgId/agents/$agentId/control',
} as const

type AgentLinkProps = {
  agentId: string
  /** The tab of the agent's page. */
  tab?: keyof typeof TARGETS
  className?: string
  tabIndex?: number
}

/** The name of an agent, as a link to its page. */
export function AgentLink({ agentId, tab = 'overview', className, tabIndex }: AgentLinkProps) {
  const orgId = useOrgId()
  const nameOf = useAgentName()
  return (
    <Link
      to={TARGETS[tab]}
      params={{ orgId, agentId }}
      title={agentId}
      tabIndex={tabIndex}
      className={classNames('[overflow-wrap:anywhere] hover:underline', className)}
    >
      {nameOf(agentId)}
    </Link>
  )
}

/** Several agents in one sentence. */
export function AgentLinks({ agentIds }: { agentIds: readonly string[] }) {
  return agentIds.map((agentId, place) => (
    <Fragment key={agentId}>
      {place === 0 ? null : ', '}
      <AgentLink agentId={agentId} className="underline" />
    </Fragment>
  ))
}
