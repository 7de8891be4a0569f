import { useNavigate } from '@tanstack/react-router'
import { stringify } from 'yaml'
import { TextWithCodes } from '../../names/text-with-codes.tsx'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Empty } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { saveDraft } from '../policies/draft-store.ts'
import { ProducedBy } from './produced-by.tsx'
import { type Recommendation, type Team, teamKey } from './queries.ts'

type RecommendationCardProps = {
  orgId: string
  team: Team
  latest: Recommendation | null
  /** A recommendation needs a fault line analysis. */
  hasFaultLines: boolean
}

/** A policy that mitigates the fault lines. It takes effect only once it is saved. */
export function RecommendationCard({
  orgId,
  team,
  latest,
  hasFaultLines,
}: RecommendationCardProps) {
  const ask = useAction({
    run: () =>
      api.request('POST', '/v1/teams/recommend-policy', {
        ...forOrg(orgId),
        body: { team_id: team.id },
      }),
    refresh: [teamKey(team.id)],
  })
  return (
    <Card
      title="Recommended policy"
      note={
        latest === null ? undefined : (
          <>
            <Ago at={latest.created_at} />, <ProducedBy by={latest} />
          </>
        )
      }
      actions={
        hasFaultLines && team.status === 'active' ? (
          <Button busy={ask.isPending} onClick={() => ask.mutate()}>
            {latest === null ? 'Recommend policy' : 'Recommend again'}
          </Button>
        ) : undefined
      }
    >
      {latest === null ? (
        <Empty title="No recommendation yet">
          {hasFaultLines ? undefined : 'Analyse the fault lines first.'}
        </Empty>
      ) : latest.useful ? (
        <Recommended orgId={orgId} team={team} recommendation={latest} />
      ) : (
        <Empty title="Nothing to recommend">
          No policy would resolve a fault line or lower a risk.
        </Empty>
      )}
    </Card>
  )
}

function Recommended(props: { orgId: string; team: Team; recommendation: Recommendation }) {
  const { orgId, team, recommendation } = props
  const navigate = useNavigate()
  const text = stringify(recommendation.policy)
  const open = () => {
    saveDraft({ kind: 'team', id: team.id }, text)
    void navigate({ to: '/o/$orgId/policies/teams/$teamId', params: { orgId, teamId: team.id } })
  }
  const { risk_reduction: reduction, fault_lines_resolved: resolved } =
    recommendation.forecast_summary
  return (
    <div className="grid gap-4">
      <p className="text-sm text-ink-soft">
        Resolves {resolved} {resolved === 1 ? 'fault line' : 'fault lines'} · Expected risk
        reduction: {reduction} · {Math.round(recommendation.confidence * 100)}% confidence
      </p>
      <ol className="grid gap-2 text-sm">
        {recommendation.reasoning_chain.map((step) => (
          <li key={step.step} className="grid grid-cols-[1.5rem_minmax(0,1fr)]">
            <span className="text-ink-faint tabular">{step.step}</span>
            <span className="break-words">
              <TextWithCodes>{step.action}</TextWithCodes>
              <span className="block text-ink-soft">
                <TextWithCodes>{step.rationale}</TextWithCodes>
              </span>
            </span>
          </li>
        ))}
      </ol>
      <CodeBlock label="Policy (YAML)" code={text} />
      <div>
        <Button tone="primary" onClick={open}>
          Open in editor
        </Button>
      </div>
    </div>
  )
}
