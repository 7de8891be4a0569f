import { Link } from '@tanstack/react-router'
import { useSession } from '../../../session/use-session.ts'
import { Card } from '../../../ui/card.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { Empty } from '../../../ui/states.tsx'
import { useRoster, useTeamCard } from './queries.ts'

/** The team's members; renders nothing for readers outside its organisation. */
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
    <Card title="Declared values" note="From the team's card, derived from its members' cards">
      {data.card === null ? (
        <Empty title="No team card" />
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

/** The API leaves the card's schema open, because owners may add fields. */
function declaredOf(card: Record<string, unknown>): string[] {
  const values = card['values']
  const declared =
    typeof values === 'object' && values !== null && 'declared' in values ? values.declared : []
  return Array.isArray(declared) ? declared.map(String) : []
}
