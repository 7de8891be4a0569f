import { escapeInvisible } from '@touchstone/protocol/base'
import { callFate } from '@touchstone/protocol/policy'
import type { ReactNode } from 'react'
import { AgentLink } from '../../names/agent-link.tsx'
import { Card } from '../../ui/card.tsx'
import { type Fact, Facts, Id } from '../../ui/facts.tsx'
import { DecisionMark, sentenceCase, Verdict } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { formatDate } from '../../ui/time.tsx'
import { OutcomeMark } from './outcome-mark.tsx'
import { PolicyLink } from './policy-link.tsx'
import { PolicyRule } from './policy-rule.tsx'
import type { Decision } from './queries.ts'
import { ReasonList } from './reason-list.tsx'
import { SOURCE_LABELS } from './search.ts'

/** The answer, its reasons and the rule that decided. */
export function AnswerCard({ decision }: { decision: Decision }) {
  const { verdict, enforcement_mode: mode } = decision
  return (
    <Card title="Answer">
      <div className="grid gap-4">
        <ReasonList decision={decision} />
        <PolicyRule decision={decision} />
        <Facts
          facts={[
            {
              label: 'Decision',
              value: <DecisionMark decision={decision.decision} enforced={decision.enforced} />,
            },
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
    <>
      <TextLink to="/o/$orgId/approvals/$escalationId" params={{ orgId, escalationId }}>
        View approval
      </TextLink>
      <span className="block text-ink-faint">
        <Id>{escalationId}</Id>
      </span>
    </>
  )
  return [{ label: 'Approval', value }]
}

/** The call, without its arguments. */
export function CallCard({ decision }: { decision: Decision }) {
  const { org_id: orgId, agent_id: agentId, session_id: sessionId } = decision
  return (
    <Card title="Call">
      <Facts
        facts={[
          {
            label: 'Agent',
            value: (
              <>
                <AgentLink agentId={agentId} className="text-accent underline" />
                <span className="block text-ink-faint">
                  <Id>{agentId}</Id>
                </span>
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
          ...argumentsOf(decision),
          { label: 'Transaction', value: <Id>{decision.transaction_id}</Id> },
        ]}
      />
    </Card>
  )
}

/** The arguments of a call that a person was asked about have a card of their own. */
function argumentsOf({ arguments_hash: hash, escalation_id: escalationId }: Decision): Fact[] {
  if (escalationId !== null) return []
  if (hash === null) return [{ label: 'Arguments', value: 'None' }]
  const value = (
    <>
      Only their SHA-256 is stored
      <span className="block text-ink-soft">
        <Id>{hash}</Id>
      </span>
    </>
  )
  return [{ label: 'Arguments', value }]
}

type FilterLinkProps = { orgId: string; search: { session_id: string }; children: ReactNode }

function FilterLink({ orgId, search, children }: FilterLinkProps) {
  return (
    <TextLink
      to="/o/$orgId/decisions"
      params={{ orgId }}
      search={search}
      title="Decisions of this session"
      className="font-mono text-[0.8125rem] break-all"
    >
      {children}
    </TextLink>
  )
}

function unreportedText({ decision, enforced }: Decision): string {
  switch (callFate({ decision, enforced, outcome: null })) {
    case 'stopped':
      return 'Stopped before it ran: the client stops calls that are blocked.'
    case 'held':
      return 'Held for approval. Once it is approved, the call is decided again.'
    default:
      return 'Not reported. The client can report for 24 hours whether the call was made.'
  }
}

/** The outcome of the call, as its client reported it. */
export function OutcomeCard({ decision }: { decision: Decision }) {
  const { outcome } = decision
  return (
    <Card title="Outcome">
      {outcome === null ? (
        <p className="text-sm text-ink-soft">{unreportedText(decision)}</p>
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

/** The client that asked. */
export function ClientCard({ decision }: { decision: Decision }) {
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
