import type { PolicyDocument } from '@touchstone/protocol/policy'
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

/** Before it holds: what it would have done to the last days, and how the text differs. */
export function ReviewCard(props: ReviewCardProps) {
  const { owner, before, after, policy, busy, nextVersion, onSave } = props
  return (
    <Card
      title="Before it holds"
      actions={
        <Button tone="primary" busy={busy} onClick={onSave}>
          {nextVersion === undefined ? 'Save the policy' : `Save as version ${nextVersion}`}
        </Button>
      }
    >
      <div className="grid gap-6">
        {owner.kind === 'team' ? (
          <p className="text-sm text-ink-soft">
            A team’s policy narrows the transactions that begin from now on; past calls say nothing
            about it.
          </p>
        ) : (
          <ImpactView owner={owner} policy={policy} />
        )}
        {before === '' ? null : (
          <section className="grid gap-2">
            <h3 className="text-sm font-semibold">What changes in the text</h3>
            <Diff label="Changes in the text" before={before} after={after} />
          </section>
        )}
      </div>
    </Card>
  )
}
