import { Card } from '../../../ui/card.tsx'
import { Pill, type Tone } from '../../../ui/pill.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useCard } from './queries.ts'

/** What the agent promises: every decision is judged by it. */
export function CardSummary({ agentId }: { agentId: string }) {
  const card = useCard(agentId)
  return (
    <Card title="What it promises" note="From its card, by which its decisions are judged.">
      <Loaded query={card}>
        {(data) => {
          const { values, autonomy_envelope: envelope } = promisesOf(data.card_json)
          return (
            <div className="grid gap-4">
              <Words label="Values" words={values.declared} tone="accent" />
              <Words label="May do" words={envelope.bounded_actions} tone="good" />
              <Words label="Must never do" words={envelope.forbidden_actions} tone="bad" />
            </div>
          )
        }}
      </Loaded>
    </Card>
  )
}

type Promises = {
  values: { declared?: readonly string[] }
  autonomy_envelope: {
    bounded_actions?: readonly string[]
    forbidden_actions?: readonly string[]
  }
}

/** The interface leaves the card open, because an owner may add to it. */
function promisesOf(card: Partial<Promises>): Promises {
  return { values: card.values ?? {}, autonomy_envelope: card.autonomy_envelope ?? {} }
}

type WordsProps = { label: string; words: readonly string[] | undefined; tone: Tone }

function Words({ label, words = [], tone }: WordsProps) {
  if (words.length === 0) return null
  return (
    <div className="grid gap-1.5">
      <h3 className="text-sm text-ink-soft">{label}</h3>
      <ul className="flex flex-wrap gap-1.5">
        {words.map((word) => (
          <li key={word}>
            <Pill tone={tone}>{word.replaceAll('_', ' ')}</Pill>
          </li>
        ))}
      </ul>
    </div>
  )
}
