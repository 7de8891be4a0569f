import { Link } from '@tanstack/react-router'
import { useSession } from '../../../session/use-session.ts'
import { Card } from '../../../ui/card.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { Empty } from '../../../ui/states.tsx'
import { useRoster, useTeamCard } from './queries.ts'

/** Absent where the reader may not see them, which is no fault. */
export function RosterCard({ teamId }: { teamId: string }) {
  const session = useSession()
  const roster = useRoster(teamId)
  if (session === undefined || roster.data === undefined) return null
  return (
    <Card title="Members">
      <ul className="grid gap-2">
        {roster.data.members.map(({ agent_id: agentId, agent_name: name }) => (
          <li key={agentId}>
            <Link to="/a/$agentId" params={{ agentId }} className="font-medium hover:underline">
              {name}
            </Link>
            <p className="font-mono text-xs text-ink-faint">{agentId}</p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

export function TeamCardCard({ teamId }: { teamId: string }) {
  const session = useSession()
  const { data } = useTeamCard(teamId)
  if (session === undefined || data === undefined) return null
  const declared = data.card === null ? [] : declaredOf(data.card.card_json)
  return (
    <Card title="What it promises" note="The team's card, made of those of its members.">
      {data.card === null ? (
        <Empty title="The team has no card" />
      ) : (
        <ul className="flex flex-wrap gap-1.5">
          {declared.map((value) => (
            <li key={value}>
              <Pill tone="accent">{value.replaceAll('_', ' ')}</Pill>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

/** The interface leaves the card open, because an owner may add to it. */
function declaredOf(card: Record<string, unknown>): string[] {
  const values = card['values']
  const declared =
    typeof values === 'object' && values !== null && 'declared' in values ? values.declared : []
  return Array.isArray(declared) ? declared.map(String) : []
}
