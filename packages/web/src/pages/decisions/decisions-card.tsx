import { Link } from '@tanstack/react-router'
import { Card } from '../../ui/card.tsx'
import { DecisionMark } from '../../ui/marks.tsx'
import { Loaded } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Ago } from '../../ui/time.tsx'
import { useBypass, useLatestDecisions } from './queries.ts'

/** The newest decisions about an agent, on the agent's page. */
export function DecisionsCard({ orgId, agentId }: { orgId: string; agentId: string }) {
  const decisions = useLatestDecisions(orgId, agentId)
  return (
    <Card
      title="Latest decisions"
      padded={false}
      actions={
        <TextLink
          to="/o/$orgId/decisions"
          params={{ orgId }}
          search={{ agent_id: agentId }}
          className="text-sm"
        >
          View all decisions
        </TextLink>
      }
    >
      <BypassNotice orgId={orgId} agentId={agentId} />
      <Loaded query={decisions}>
        {({ decisions: rows }) =>
          rows.length === 0 ? (
            <p className="px-5 py-6 text-sm text-ink-soft">
              No decisions yet. They are recorded when the agent asks before it calls a tool.
            </p>
          ) : (
            <ul className="text-sm">
              {rows.map((row) => (
                <li key={row.decision_id} className="border-b border-line last:border-0">
                  <Link
                    to="/o/$orgId/decisions/$decisionId"
                    params={{ orgId, decisionId: row.decision_id }}
                    className="flex items-center gap-3 px-5 py-2 hover:bg-sunken/50"
                  >
                    <DecisionMark decision={row.decision} enforced={row.enforced} />
                    <span
                      className="min-w-0 flex-1 truncate font-mono text-[0.8125rem]"
                      title={row.tool}
                    >
                      {row.tool}
                    </span>
                    <span className="text-ink-faint">
                      <Ago at={row.decided_at} />
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

/** Named in red, because a bypass means that the client does not keep to decisions. */
function BypassNotice({ orgId, agentId }: { orgId: string; agentId: string }) {
  const bypass = useBypass(orgId, agentId).data?.decisions[0]
  if (bypass === undefined) return null
  return (
    <p className="border-b border-line bg-bad-wash px-5 py-2.5 text-sm text-bad">
      <strong className="font-semibold">
        Bypassed <Ago at={bypass.decided_at} />:
      </strong>{' '}
      the agent made a call that was not allowed.{' '}
      <Link
        to="/o/$orgId/decisions"
        params={{ orgId }}
        search={{ agent_id: agentId, outcome: 'bypassed' }}
        className="underline"
      >
        View bypassed decisions
      </Link>
    </p>
  )
}
