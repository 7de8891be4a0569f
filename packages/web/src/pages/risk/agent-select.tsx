import type { OwnAgent } from '../../session/use-agents.ts'
import { OptionSelect } from './option-select.tsx'

export type AgentSelectProps = {
  label: string
  agents: readonly OwnAgent[]
  agentId: string
  onAgent: (agentId: string) => void
}

export function AgentSelect({ label, agents, agentId, onAgent }: AgentSelectProps) {
  return (
    <OptionSelect
      label={label}
      value={agentId}
      options={agents.map((agent) => ({ value: agent.agent_id, label: agent.name }))}
      onChange={onAgent}
    />
  )
}
