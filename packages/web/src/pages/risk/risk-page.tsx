import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useAgents } from '../../session/use-agents.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { AgentRiskForm } from './agent-risk-form.tsx'
import { RiskList } from './risk-list.tsx'
import { TeamRiskForm } from './team-risk-form.tsx'

type Subject = 'agent' | 'team'

const SUBJECTS = [
  { value: 'agent', label: 'Single agent' },
  { value: 'team', label: 'Multiple agents' },
] as const

export function RiskPage() {
  const orgId = useOrgId()
  const { team } = useSearch({ from: '/o/$orgId/risk' })
  const agents = useAgents()
  const [subject, setSubject] = useState<Subject>(team === undefined ? 'agent' : 'team')
  const [chosen, setChosen] = useState('')
  return (
    <Page title="Risk" lead="Assess the risk of letting an agent or a team take an action.">
      <Loaded query={agents}>
        {({ agents: all }) => {
          const agentId = chosen === '' ? (all[0]?.agent_id ?? '') : chosen
          return all.length === 0 ? (
            <Card>
              <Empty title="No agents yet">Register an agent to assess its risk.</Empty>
            </Card>
          ) : (
            <div className="grid items-start gap-6 lg:grid-cols-[19rem_minmax(0,1fr)]">
              <Card
                title="New assessment"
                actions={
                  <Segments
                    label="Subject"
                    value={subject}
                    options={SUBJECTS}
                    onChange={setSubject}
                  />
                }
              >
                {subject === 'agent' ? (
                  <AgentRiskForm orgId={orgId} agents={all} agentId={agentId} onAgent={setChosen} />
                ) : (
                  <TeamRiskForm orgId={orgId} agents={all} teamId={team} />
                )}
              </Card>
              <RiskList orgId={orgId} />
            </div>
          )
        }}
      </Loaded>
    </Page>
  )
}
