import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Id } from '../../ui/facts.tsx'
import type { ReviewedEscalation } from './queries.ts'
import { type ShownArguments, shownArguments } from './shown-arguments.ts'

const MISSING: Record<Exclude<ShownArguments['kind'], 'shown'>, string> = {
  none: 'The call has no arguments.',
  not_stored: 'Not stored: this service keeps no arguments of escalated calls.',
  deleted: 'Not stored any more: arguments are deleted 24 hours after the approval has ended.',
  hidden: 'Shown only to people who can answer.',
}

/** The arguments that the approval is for. */
export function ArgumentsCard({ escalation }: { escalation: ReviewedEscalation }) {
  const shown = shownArguments(escalation, new Date())
  const { arguments_hash: hash } = escalation
  return (
    <Card title="Arguments" note="Untrusted text from the agent">
      <div className="grid gap-3 text-sm">
        {shown.kind === 'shown' ? (
          <>
            <CodeBlock label="Arguments (JSON)" code={shown.text} wrap />
            {shown.isCut ? (
              <p className="text-warn">
                Cut after the first 32 KB. The approval is for the whole arguments.
              </p>
            ) : null}
          </>
        ) : (
          <p className="text-ink-soft">{MISSING[shown.kind]}</p>
        )}
        {hash === null ? null : (
          <p className="text-ink-faint">
            SHA-256 <Id>{hash}</Id>
          </p>
        )}
      </div>
    </Card>
  )
}
