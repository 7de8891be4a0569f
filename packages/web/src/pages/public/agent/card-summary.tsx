import { Card } from '../../../ui/card.tsx'
import { Pill, type Tone } from '../../../ui/pill.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useCard } from './queries.ts'

/** A summary of the agent's card, against which its checkpoints are analysed. */
export function CardSummary({ agentId }: { agentId: string }) {
  const card = useCard(agentId)
  return (
    <Card title="Alignment card" note="The commitments against which the agent is checked">
      <Loaded query={card}>
        {(data) => {
          const { values, autonomy_envelope: envelope } = commitmentsOf(data.card_json)
          return (
            <div className="grid gap-4">
              <TagList label="Values" tags={values.declared} tone="accent" />
              <TagList label="Allowed actions" tags={envelope.bounded_actions} tone="good" />
              <TagList label="Forbidden actions" tags={envelope.forbidden_actions} tone="bad" />
            </div>
          )
        }}
      </Loaded>
    </Card>
  )
}

type Commitments = {
  values: { declared?: readonly string[] }
  autonomy_envelope: {
    bounded_actions?: readonly string[]
    forbidden_actions?: readonly string[]
  }
}

/** The API leaves the card's schema open, because owners may add fields. */
function commitmentsOf(card: Partial<Commitments>): Commitments {
  return { values: card.values ?? {}, autonomy_envelope: card.autonomy_envelope ?? {} }
}

type TagListProps = { label: string; tags: readonly string[] | undefined; tone: Tone }

function TagList({ label, tags = [], tone }: TagListProps) {
  if (tags.length === 0) return null
  return (
    <div className="grid gap-1.5">
      <h3 className="text-sm text-ink-soft">{label}</h3>
      <ul className="flex flex-wrap gap-1.5">
        {tags.map((tag) => (
          <li key={tag}>
            <Pill tone={tone}>{tag.replaceAll('_', ' ')}</Pill>
          </li>
        ))}
      </ul>
    </div>
  )
}
