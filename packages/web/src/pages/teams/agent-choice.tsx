import type { OwnAgent } from '../../session/use-agents.ts'
import { ChoiceList } from '../../ui/choice-list.tsx'

export type AgentChoiceProps = {
  agents: readonly OwnAgent[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

/** Selects several of the organisation's agents. */
export function AgentChoice({ agents, chosen, onChange }: AgentChoiceProps) {
  return (
    <ChoiceList
      label="Agents"
      chosen={chosen}
      onChange={onChange}
      choices={agents.map((agent) => ({
        value: agent.agent_id,
        text: `${agent.name} ${agent.agent_id}`,
        label: (
          <>
            {agent.name}
            {agent.name === agent.agent_id ? null : (
              <span className="ml-2 font-mono text-xs text-ink-faint">{agent.agent_id}</span>
            )}
          </>
        ),
      }))}
    />
  )
}
