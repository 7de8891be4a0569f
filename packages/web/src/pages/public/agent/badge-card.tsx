import { BADGE_VARIANTS, TEAM_BADGE_VARIANTS } from '@touchstone/protocol/score'
import { useState } from 'react'
import { Card } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { CodeBlock } from '../../../ui/copy.tsx'

type Variant = (typeof BADGE_VARIANTS)[number]

const NAMES: Record<Variant, string> = {
  score: 'Score',
  score_tier: 'Score and tier',
  score_trend: 'Score and trend',
  compact: 'Compact',
  assurance: 'Grade and assurance',
}

export type BadgeSubject = { kind: 'agent' | 'team'; id: string }

/** A score badge for a README or a website, in several variants. */
export function BadgeCard({ subject }: { subject: BadgeSubject }) {
  const [variant, setVariant] = useState<Variant>('score')
  const { image, page } = addressesOf(subject, variant)
  const variants = subject.kind === 'agent' ? BADGE_VARIANTS : TEAM_BADGE_VARIANTS
  return (
    <Card title="Badge" note="Shows the current score and links to this page">
      <fieldset>
        <legend className="sr-only">Badge variant</legend>
        <div className="grid gap-2 sm:grid-cols-2">
          {variants.map((one) => (
            <label
              key={one}
              className={classNames(
                'flex flex-wrap items-center justify-between gap-2 rounded-md border px-3 py-2 text-sm',
                one === variant ? 'border-accent bg-accent-wash' : 'border-line',
              )}
            >
              <span className="flex items-center gap-2">
                <input
                  type="radio"
                  name="badge"
                  checked={one === variant}
                  onChange={() => setVariant(one)}
                  className="accent-[var(--accent)]"
                />
                {NAMES[one]}
              </span>
              <img src={addressesOf(subject, one).path} alt="" height="20" />
            </label>
          ))}
        </div>
      </fieldset>
      <div className="mt-4 grid gap-3">
        <CodeBlock label="Markdown" code={`[![Touchstone score](${image})](${page})`} />
        <CodeBlock
          label="HTML"
          code={`<a href="${page}"><img src="${image}" alt="Touchstone score" height="20"></a>`}
        />
      </div>
    </Card>
  )
}

function addressesOf({ kind, id }: BadgeSubject, variant: Variant) {
  const name = encodeURIComponent(id)
  const query = variant === 'score' ? '' : `?variant=${variant}`
  const path = `/v1/${kind === 'agent' ? 'reputation' : 'teams'}/${name}/badge.svg${query}`
  const page = `${location.origin}/${kind === 'agent' ? 'a' : 't'}/${name}`
  return { path, image: location.origin + path, page }
}
