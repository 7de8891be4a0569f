import type { PolicyDocument } from '@touchstone/protocol/policy'
import { useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Diff } from '../../ui/diff.tsx'
import { ImpactView } from './impact-view.tsx'
import type { Owner } from './owner.ts'

export type ReviewCardProps = {
  owner: Owner
  before: string
  after: string
  policy: PolicyDocument
  busy: boolean
  nextVersion: number | undefined
  onSave: () => void
}

/**
 * The review before saving: the impact on past traces, and the diff of the text. It takes the focus, because the
 * next element after the button that opens it is the editor, in which Tab indents.
 */
export function ReviewCard(props: ReviewCardProps) {
  const { owner, before, after, policy, busy, nextVersion, onSave } = props
  const heading = useRef<HTMLSpanElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Card
      title={
        <span ref={heading} tabIndex={-1} className="outline-none">
          Review changes
        </span>
      }
      actions={
        <Button tone="primary" busy={busy} onClick={onSave}>
          {nextVersion === undefined ? 'Save policy' : `Save as version ${nextVersion}`}
        </Button>
      }
    >
      <div className="grid gap-6">
        {owner.kind === 'team' ? (
          <p className="text-sm text-ink-soft">
            A team’s policy applies only to calls in transactions, so its impact cannot be estimated
            from past traces.
          </p>
        ) : (
          <ImpactView owner={owner} policy={policy} />
        )}
        {before === '' ? null : (
          <section className="grid gap-2">
            <h3 className="text-sm font-semibold">Diff</h3>
            <Diff label="Diff of the policy text" before={before} after={after} />
          </section>
        )}
      </div>
    </Card>
  )
}
