import { Link, useParams } from '@tanstack/react-router'
import { api } from '../../session/session.ts'
import { AssuranceFacts } from '../../ui/assurance.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { cardGaps } from '../../ui/card-gaps.ts'
import { Facts } from '../../ui/facts.tsx'
import { Select } from '../../ui/field.tsx'
import { gradeColour } from '../../ui/grade.tsx'
import { Change, sentenceCase } from '../../ui/marks.tsx'
import { printPage } from '../../ui/print-page.ts'
import { Sparkline } from '../../ui/sparkline.tsx'
import { ErrorState, Loaded, StillLoading } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Ago } from '../../ui/time.tsx'
import { DecisionsCard } from '../decisions/decisions-card.tsx'
import { PolicyCard } from '../policies/policy-summary.tsx'
import { CheckpointMarks } from './checkpoint-marks.tsx'
import {
  type AgentPatch,
  type Score,
  useAgent,
  useAgentAction,
  useCheckpoints,
  useIntegrity,
  useScore,
  useScoreHistory,
} from './queries.ts'
import { useRefusals } from './use-refusals.ts'

const FROM = '/o/$orgId/agents/$agentId'

export function AgentOverview() {
  const { orgId, agentId } = useParams({ from: FROM })
  const score = useScore(agentId)
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="grid content-start gap-6">
        <Card>
          <Loaded query={score}>{(found) => <Standing agentId={agentId} score={found} />}</Loaded>
        </Card>
        <Card title="Assurance" note="How far the score can be relied on">
          <Loaded query={score}>
            {(found) =>
              found.score === null ? (
                <p className="text-sm text-ink-soft">Computed with the first score.</p>
              ) : (
                <AssuranceFacts assurance={found.assurance} assuredScore={found.assured_score} />
              )
            }
          </Loaded>
        </Card>
        <Card title="Score components">
          <Loaded query={score} lines={5}>
            {(found) => <Components components={found.components} />}
          </Loaded>
        </Card>
        <DecisionsCard orgId={orgId} agentId={agentId} />
      </div>
      <div className="grid content-start gap-6">
        <PolicyCard orgId={orgId} agentId={agentId} />
        <Latest />
        <About />
      </div>
    </div>
  )
}

function Standing({ agentId, score }: { agentId: string; score: Score }) {
  const history = useScoreHistory(agentId)
  const weeks = [...(history.data?.snapshots ?? [])].reverse().map((week) => week.score)
  const recompute = useAgentAction(agentId, {
    run: () =>
      api.request('POST', '/v1/reputation/{agent_id}/recompute', { params: { agent_id: agentId } }),
    done: (done) => (done.score_after === null ? 'No score yet' : `New score: ${done.score_after}`),
  })
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-3">
        <div>
          <p className="text-sm text-ink-faint">Score</p>
          <p
            className="font-serif text-5xl leading-none font-semibold tabular"
            style={{ color: gradeColour(score.grade) }}
          >
            {score.score ?? 'Not yet rated'}
          </p>
          <p className="mt-2 text-sm text-ink-soft">{standingSummary(score)}</p>
        </div>
        <StillLoading when={history.isPending} />
        {weeks.length < 2 ? null : (
          <figure className="min-w-48 flex-1">
            <Sparkline
              values={weeks}
              label={`Weekly score, from ${weeks[0]} to ${weeks.at(-1)}`}
              className="h-14 w-full"
            />
            <figcaption className="flex justify-between text-xs text-ink-faint">
              <span>{weeks.length} weeks</span>
              <span>
                30 days <Change points={score.trend_30d} />
              </span>
            </figcaption>
          </figure>
        )}
      </div>
      {recompute.error ? <ErrorState error={recompute.error} /> : null}
      <div className="flex flex-wrap items-center gap-3 border-t border-line pt-3 text-xs text-ink-faint">
        <span>
          Computed <Ago at={score.computed_at} /> from{' '}
          {score.checkpoint_count === 1 ? '1 checkpoint' : `${score.checkpoint_count} checkpoints`}
        </span>
        {score.reclassified.card_gap === 0 ? null : (
          <span>Card gaps in 90 days: {cardGaps(score.reclassified)}</span>
        )}
        <span className="ml-auto flex gap-2">
          {score.score === null ? null : (
            <Link to="/verify" search={{ bundle: agentId }} className={buttonClass()}>
              Verify
            </Link>
          )}
          <Button onClick={printPage}>Print report</Button>
          <Button busy={recompute.isPending} onClick={() => recompute.mutate(undefined)}>
            Recompute
          </Button>
        </span>
      </div>
    </div>
  )
}

function standingSummary(score: Score): string {
  if (score.score === null) {
    return `${score.checkpoint_count} of the 50 checkpoints required for a score`
  }
  const interval = score.score_interval
  const range = interval === null ? '' : ` · likely between ${interval.low} and ${interval.high}`
  return `${score.tier}${range} · ${score.confidence} confidence`
}

function Components({ components }: { components: Score['components'] }) {
  return (
    <ul className="grid gap-4">
      {components.map((part) => (
        <li key={part.key} className="grid gap-1 text-sm">
          <p className="flex justify-between gap-4">
            <span className="font-medium">
              {part.label}{' '}
              <span className="font-normal text-ink-faint">
                {Math.round(part.weight * 100)}%{part.basis === 'default' ? ', default value' : ''}
              </span>
            </span>
            <span className="tabular">{part.score ?? '–'}</span>
          </p>
          <div className="h-1.5 rounded-full bg-sunken">
            <div
              className="h-full rounded-full bg-accent"
              style={{ width: `${(part.score ?? 0) / 10}%` }}
            />
          </div>
          {part.factors.length === 0 ? null : (
            <p className="text-xs text-ink-faint">{part.factors.join(' · ')}</p>
          )}
        </li>
      ))}
    </ul>
  )
}

function Latest() {
  const { orgId, agentId } = useParams({ from: FROM })
  const integrity = useIntegrity(agentId)
  const checkpoints = useCheckpoints(agentId, {})
  const refusalOf = useRefusals(agentId, checkpoints.data?.checkpoints ?? [])
  return (
    <Card
      title="Latest checkpoints"
      padded={false}
      actions={
        <TextLink
          to="/o/$orgId/agents/$agentId/checkpoints"
          params={{ orgId, agentId }}
          className="text-sm"
        >
          View all {integrity.data?.total_checks ?? ''}
        </TextLink>
      }
    >
      <Loaded query={checkpoints}>
        {({ checkpoints: rows }) =>
          rows.length === 0 ? (
            <p className="px-5 py-6 text-sm text-ink-soft">
              No checkpoints yet. New ones appear automatically.
            </p>
          ) : (
            <ul className="text-sm">
              {rows.slice(0, 6).map((row) => (
                <li key={row.checkpoint_id} className="border-b border-line last:border-0">
                  <Link
                    to="/o/$orgId/agents/$agentId/checkpoints/$checkpointId"
                    params={{ orgId, agentId, checkpointId: row.checkpoint_id }}
                    className="flex items-center justify-between gap-3 px-5 py-2 hover:bg-sunken/50"
                  >
                    <CheckpointMarks checkpoint={row} refusal={refusalOf(row)} />
                    <span className="text-ink-faint">
                      <Ago at={row.timestamp} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function About() {
  const { agentId } = useParams({ from: FROM })
  const { data: agent } = useAgent(agentId)
  const change = useAgentAction(agentId, {
    run: (body: AgentPatch) =>
      api.request('PATCH', '/v1/agents/{agent_id}', { params: { agent_id: agentId }, body }),
    done: (changed) => `Score visibility: ${changed.visibility}`,
  })
  if (agent === undefined) return null
  return (
    <Card title="About">
      <Facts
        facts={[
          {
            label: 'Visibility',
            value: (
              <Select
                aria-label="Visibility"
                value={agent.visibility ?? 'private'}
                disabled={change.isPending}
                // The cast is safe: the value is one of the options below, and the API takes each.
                onChange={(event) => change.mutate({ visibility: event.target.value as 'public' })}
              >
                <option value="public">Public</option>
                <option value="unlisted">Unlisted</option>
                <option value="private">Private</option>
              </Select>
            ),
          },
          { label: 'Model', value: modelOf(agent) },
          { label: 'Enforcement', value: sentenceCase(agent.enforcement_mode ?? 'observe') },
          { label: 'Card', value: `Version ${agent.card_version ?? '–'}` },
          { label: 'Owner', value: agent.owner_email ?? 'Unclaimed' },
          { label: 'Registered', value: <Ago at={agent.created_at} /> },
          { label: 'Last seen', value: <Ago at={agent.last_seen_at} /> },
        ]}
      />
      {change.error ? <ErrorState error={change.error} /> : null}
    </Card>
  )
}

function modelOf(agent: { provider?: string | null; model?: string | null }): string {
  return [agent.provider, agent.model].filter(Boolean).join(' / ') || 'Unknown'
}
