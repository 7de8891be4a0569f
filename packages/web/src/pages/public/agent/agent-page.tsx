import { useParams } from '@tanstack/react-router'
import { assuranceName, isAssuranceLevel } from '@touchstone/protocol/score'
import { buttonClass } from '../../../ui/button.tsx'
import { DemoLabel } from '../../../ui/demo-label.tsx'
import { sentenceCase } from '../../../ui/marks.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { Loaded, StillLoading } from '../../../ui/states.tsx'
import { isNotFound, SubjectNotFound } from '../subject-not-found.tsx'
import { WeeklyCard } from '../weekly-card.tsx'
import { BadgeCard } from './badge-card.tsx'
import { CardSummary } from './card-summary.tsx'
import { ComponentsCard } from './components-card.tsx'
import { EvidenceCard } from './evidence-card.tsx'
import { PublicPolicyCard } from './policy-card.tsx'
import { type Reputation, useAgent, useHistory, useReputation } from './queries.ts'
import { ReasonsCard } from './reasons-card.tsx'
import { ScoreCard } from './score-card.tsx'
import { UncertaintyCard } from './uncertainty-card.tsx'
import { VerifyPanel } from './verify-panel.tsx'

/** The public page of an agent: its score, its evidence and in-browser verification. */
export function AgentPage() {
  const { agentId } = useParams({ from: '/site/a/$agentId' })
  const reputation = useReputation(agentId)
  const agent = useAgent(agentId)
  if (isNotFound(reputation.error)) return <SubjectNotFound what="agent" id={agentId} />
  const name = agent.data?.name ?? agentId
  return (
    <Page
      title={name}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {name}
          <DemoLabel id={agentId} />
          {reputation.data === undefined ? null : <StatusPills reputation={reputation.data} />}
        </span>
      }
      lead={
        <>
          <span className="font-mono text-sm break-all text-ink-faint">{agentId}</span>
          <StillLoading when={agent.isPending} />
          {agent.data?.description ? <p className="mt-1">{agent.data.description}</p> : null}
        </>
      }
      actions={<ConsoleLink orgId={agent.data?.org_id} agentId={agentId} />}
    >
      <Loaded query={reputation} lines={5}>
        {(data) => <Rating reputation={data} />}
      </Loaded>
    </Page>
  )
}

function Rating({ reputation }: { reputation: Reputation }) {
  const { agent_id: agentId, is_eligible: isRated } = reputation
  return (
    <div className="grid gap-5 lg:grid-cols-[21rem_minmax(0,1fr)] lg:items-start">
      <div className="grid gap-5">
        <ScoreCard reputation={reputation} />
        {isRated ? (
          <>
            <UncertaintyCard reputation={reputation} />
            <ReasonsCard reputation={reputation} />
          </>
        ) : null}
        <CardSummary agentId={agentId} />
        <PublicPolicyCard agentId={agentId} />
      </div>
      <div className="grid min-w-0 gap-5">
        <ComponentsCard components={reputation.components} />
        {isRated ? (
          <>
            <VerifyPanel agentId={agentId} />
            <History agentId={agentId} />
            <EvidenceCard agentId={agentId} />
          </>
        ) : null}
        <BadgeCard subject={{ kind: 'agent', id: agentId }} />
      </div>
    </div>
  )
}

function History({ agentId }: { agentId: string }) {
  return (
    <WeeklyCard
      history={useHistory(agentId)}
      noteOf={({ checkpoint_count: count, assurance }) =>
        [
          count === 1 ? '1 checkpoint' : `${count.toLocaleString('en')} checkpoints`,
          ...(isAssuranceLevel(assurance) ? [`assurance ${assuranceName(assurance)}`] : []),
        ].join(', ')
      }
    />
  )
}

function StatusPills({ reputation }: { reputation: Reputation }) {
  return (
    <>
      {reputation.visibility === 'public' ? null : (
        <Pill>{sentenceCase(reputation.visibility)}</Pill>
      )}
      <Pill tone={reputation.is_eligible ? 'accent' : 'neutral'}>{reputation.tier}</Pill>
    </>
  )
}

/** The API returns the organisation id only to its members. */
function ConsoleLink({ orgId, agentId }: { orgId: string | undefined; agentId: string }) {
  if (orgId === undefined) return null
  return (
    <a href={`/o/${orgId}/agents/${encodeURIComponent(agentId)}`} className={buttonClass()}>
      Open in console
    </a>
  )
}
