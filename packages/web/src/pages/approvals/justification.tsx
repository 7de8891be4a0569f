import { escapeInvisible } from '@touchstone/protocol/base'

/** Marked as a claim, because the agent may say anything to be approved. */
export function Justification({ text }: { text: string | null }) {
  if (text === null) {
    return <p className="text-sm text-ink-faint">The agent gave no justification.</p>
  }
  return (
    <figure className="grid gap-1 rounded-md border border-dashed border-line-strong px-4 py-3">
      <figcaption className="text-xs font-medium text-ink-soft">
        The agent’s own words, which nobody checked
      </figcaption>
      <blockquote className="font-serif break-words whitespace-pre-wrap italic [overflow-wrap:anywhere]">
        “{escapeInvisible(text)}”
      </blockquote>
    </figure>
  )
}
