import { useState } from 'react'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { useAgents } from '../../session/use-agents.ts'
import { useCanEdit } from '../../session/use-can-edit.ts'
import { AssuranceMark } from '../../ui/assurance.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { Hash } from './hash.tsx'
import { chainKey, useOnChainStatus } from './queries.ts'

/** The on-chain status of one agent, with a button to publish its score. */
export function AgentOnChain({ orgId }: { orgId: string }) {
  const agents = useAgents()
  const [chosen, setChosen] = useState('')
  const agentId = chosen === '' ? (agents.data?.agents[0]?.agent_id ?? '') : chosen
  const status = useOnChainStatus(orgId, agentId)
  const canEdit = useCanEdit()
  if (agents.data?.agents.length === 0) return null
  return (
    <Card title="Agent status">
      <div className="grid gap-4">
        <Field label="Agent">
          {(control) => (
            <Select
              {...control}
              value={agentId}
              onChange={(event) => setChosen(event.target.value)}
            >
              {(agents.data?.agents ?? []).map((agent) => (
                <option key={agent.agent_id} value={agent.agent_id}>
                  {agent.name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {agentId === '' ? null : (
          <Loaded query={status}>
            {({ latest_score: score, latest_anchor: anchor }) => (
              <Facts
                facts={[
                  {
                    label: 'Score',
                    value:
                      score === null ? (
                        'Not published'
                      ) : (
                        <span className="inline-flex items-center gap-2">
                          {`${score.score} · ${score.grade}`}
                          <AssuranceMark level={score.assurance} />
                        </span>
                      ),
                  },
                  {
                    label: 'Published',
                    value: score === null ? '—' : <Ago at={score.published_at} />,
                  },
                  {
                    label: 'Latest Merkle root',
                    value: anchor === null ? 'Not anchored' : <Hash of={anchor.merkle_root} />,
                  },
                ]}
              />
            )}
          </Loaded>
        )}
        {canEdit && agentId !== '' ? <PublishButton orgId={orgId} agentId={agentId} /> : null}
      </div>
    </Card>
  )
}

function PublishButton({ orgId, agentId }: { orgId: string; agentId: string }) {
  const publish = useAction({
    run: async () => {
      const rated = await api.request('GET', '/v1/reputation/{agent_id}', {
        params: { agent_id: agentId },
      })
      if (rated.score === null || rated.grade === 'NR') {
        throw new Error('This agent has no score to publish yet.')
      }
      return api.request('POST', '/v1/on-chain/publish-scores', {
        ...forOrg(orgId),
        body: { publications: [{ agent_id: agentId, score: rated.score, grade: rated.grade }] },
      })
    },
    done: ({ block_number }) => `Published in block ${block_number}`,
    refresh: [chainKey(orgId)],
  })
  return (
    <div>
      <Button busy={publish.isPending} onClick={() => publish.mutate()}>
        Publish score
      </Button>
    </div>
  )
}
