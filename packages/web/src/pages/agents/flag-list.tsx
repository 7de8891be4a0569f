import { sentenceCase } from '../../ui/marks.tsx'

const EXPLANATIONS: Readonly<Record<string, string>> = {
  uniform_timing: 'The agent’s last eleven checkpoints came at equal intervals.',
  identical_content: 'The same text was sent at least three times before within a day.',
  low_novelty:
    'The reasoning is almost the same as in at least three of the agent’s last 500 checkpoints.',
  word_salad: 'The reasoning has hardly any function words: it is a list of words, not prose.',
  burst: 'More than 120 checkpoints of the agent were received in the same hour.',
}

/** The flags of a checkpoint, each with the reason for it. */
export function FlagList({ flags }: { flags: readonly string[] }) {
  if (flags.length === 0) return 'None'
  return (
    <ul className="grid gap-1">
      {flags.map((flag) => (
        <li key={flag}>
          {sentenceCase(flag)}
          <span className="block text-ink-soft">{EXPLANATIONS[flag]}</span>
        </li>
      ))}
    </ul>
  )
}
