import { Link, useParams } from '@tanstack/react-router'
import { escapeInvisible } from '@touchstone/protocol/base'
import type { ReactNode } from 'react'
import { useAgents } from '../../session/use-agents.ts'
import { Card } from '../../ui/card.tsx'
import { type Fact, Facts, Id } from '../../ui/facts.tsx'
import { DecisionMark, sentenceCase, Verdict } from '../../ui/marks.tsx'
import { Page } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Loaded } from '../../ui/states.tsx'
import { formatDate } from '../../ui/time.tsx'
import { SOURCE_LABELS } from './filters.tsx'
import { OutcomeMark } from './outcome-mark.tsx'
import { PolicyLink } from './policy-link.tsx'
import { type Decision, useDecision } from './queries.ts'
import { ReasonList } from './reason-list.tsx'
import { ReceiptCard } from './receipt-card.tsx'

const FROM = '/o/$orgId/decisions/$decisionId'

/** One decision: the call, the answer and its reasons, what became of it, and the receipt. */
export function DecisionPage() {
  const { orgId, decisionId } = useParams({ from: FROM })
  const decision = useDecision(orgId, decisionId)
  return (
    <Page
      title="Decision"
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          Decision
          {decision.data === undefined ? null : <DecisionMark decision={decision.data.decision} />}
        </span>
      }
      lead={<Id>{decisionId}</Id>}
    >
      <div className="grid gap-6">
        <Link
          to="/o/$orgId/decisions"
          params={{ orgId }}
          className="justify-self-start text-sm text-accent underline"
        >
          All decisions
        </Link>
        <Loaded query={decision} lines={5}>
          {(found) => (
            <div className="grid items-start gap-6 lg:grid-cols-2">
              <div className="grid min-w-0 gap-6">
                <AnswerCard decision={found} />
                <CallCard decision={found} />
              </div>
              <div className="grid min-w-0 gap-6">
                <OutcomeCard decision={found} />
                <ClientCard decision={found} />
                <ReceiptCard decision={found} />
              </div>
            </div>
          )}
        </Loaded>
      </div>
    </Page>
  )
}

function AnswerCard({ decision }: { decision: Decision }) {
  const { verdict, enforcement_mode: mode } = decision
  return (
    <Card title="Answer">
      <div className="grid gap-4">
        <ReasonList decision={decision} />
        <Facts
          facts={[
            { label: 'Decision', value: <DecisionMark decision={decision.decision} /> },
            { label: 'Decided', value: formatDate(decision.decided_at) },
            { label: 'Duration', value: `${decision.duration_ms} ms` },
            { label: 'Policy', value: <PolicyLink decision={decision} /> },
            {
              label: 'Policy verdict',
              value: verdict === null ? 'Not evaluated' : <Verdict verdict={verdict} />,
            },
            { label: 'Policy mode', value: mode === null ? 'Unknown' : sentenceCase(mode) },
            { label: 'Agent mode', value: sentenceCase(decision.agent_enforcement_mode) },
            ...approvalOf(decision),
          ]}
        />
      </div>
    </Card>
  )
}

function approvalOf({ org_id: orgId, escalation_id: escalationId }: Decision): Fact[] {
  if (escalationId === null) return [{ label: 'Approval', value: 'Not requested' }]
  const value = (
    <Link
      to="/o/$orgId/approvals/$escalationId"
      params={{ orgId, escalationId }}
      className="font-mono text-[0.8125rem] break-all text-accent underline"
    >
      {escalationId}
    </Link>
  )
  return [{ label: 'Approval', value }]
}

function CallCard({ decision }: { decision: Decision }) {
  const { org_id: orgId, agent_id: agentId, session_id: sessionId } = decision
  const agents = useAgents()
  const name = agents.data?.agents.find((agent) => agent.agent_id === agentId)?.name
  return (
    <Card title="Call">
      <Facts
        facts={[
          {
            label: 'Agent',
            value: (
              <>
                <Link
                  to="/o/$orgId/agents/$agentId"
                  params={{ orgId, agentId }}
                  className="text-accent underline"
                >
                  {name ?? agentId}
                </Link>
                {name === undefined ? null : (
                  <span className="block text-ink-faint">
                    <Id>{agentId}</Id>
                  </span>
                )}
              </>
            ),
          },
          { label: 'Tool', value: <Id>{escapeInvisible(decision.tool)}</Id> },
          {
            label: 'Session',
            value:
              sessionId === null ? (
                'None'
              ) : (
                <FilterLink orgId={orgId} search={{ session_id: sessionId }}>
                  {sessionId}
                </FilterLink>
              ),
          },
          { label: 'Call ID', value: <Id>{decision.call_id}</Id> },
          {
            label: 'Arguments',
            value:
              decision.arguments_hash === null ? (
                'None'
              ) : (
                <>
                  Not stored, only their SHA-256
                  <span className="block text-ink-soft">
                    <Id>{decision.arguments_hash}</Id>
                  </span>
                </>
              ),
          },
          { label: 'Transaction', value: <Id>{decision.transaction_id}</Id> },
        ]}
      />
    </Card>
  )
}

type FilterLinkProps = { orgId: string; search: { session_id: string }; children: ReactNode }

function FilterLink({ orgId, search, children }: FilterLinkProps) {
  return (
    <Link
      to="/o/$orgId/decisions"
      params={{ orgId }}
      search={search}
      title="Decisions of this session"
      className="font-mono text-[0.8125rem] break-all text-accent underline"
    >
      {children}
    </Link>
  )
}

function OutcomeCard({ decision }: { decision: Decision }) {
  const { outcome } = decision
  return (
    <Card title="Outcome">
      {outcome === null ? (
        <p className="text-sm text-ink-soft">
          Not reported. The client can report for 24 hours whether the call was made.
        </p>
      ) : (
        <div className="grid gap-3">
          {outcome.bypassed ? (
            <p className="rounded-md bg-bad-wash px-4 py-2.5 text-sm font-medium text-bad">
              The call was made although it was not allowed.
            </p>
          ) : null}
          <Facts
            facts={[
              { label: 'Outcome', value: <OutcomeMark of={decision} /> },
              { label: 'Reported', value: formatDate(outcome.reported_at) },
              {
                label: 'Duration',
                value: outcome.duration_ms === null ? 'Unknown' : `${outcome.duration_ms} ms`,
              },
              { label: 'Error', value: outcome.error ?? 'None' },
              { label: 'Result SHA-256', value: <Id>{outcome.result_hash}</Id> },
            ]}
          />
        </div>
      )}
    </Card>
  )
}

function ClientCard({ decision }: { decision: Decision }) {
  return (
    <Card title="Client">
      <Facts
        facts={[
          { label: 'Source', value: SOURCE_LABELS[decision.source] },
          { label: 'Client', value: decision.client ?? 'Unknown' },
          {
            label: 'Enforced',
            value: decision.enforced ? (
              'Yes, the client stops refused calls'
            ) : (
              <Pill tone="warn">No, the client only records decisions</Pill>
            ),
          },
        ]}
      />
    </Card>
  )
}
