import { useState } from 'react'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Id } from '../../ui/facts.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Segments } from '../../ui/segments.tsx'
import type { ReviewedEscalation } from './queries.ts'
import { ruleReads } from './rule-reads.ts'
import { type ShownArguments, shownArguments } from './shown-arguments.ts'

const MISSING: Record<Exclude<ShownArguments['kind'], 'shown'>, string> = {
  none: 'The call has no arguments.',
  not_stored: 'Not stored: this service keeps no arguments of escalated calls.',
  deleted: 'No longer stored: arguments are deleted 24 hours after the approval has ended.',
  hidden: 'Shown only to people who can answer.',
}

const FORMS = [
  { value: 'tree', label: 'Fields' },
  { value: 'json', label: 'JSON' },
] as const

type Form = (typeof FORMS)[number]['value']

/** The arguments that the approval is for. */
export function ArgumentsCard({ escalation }: { escalation: ReviewedEscalation }) {
  const [form, setForm] = useState<Form>('tree')
  const shown = shownArguments(escalation, new Date())
  const { arguments_hash: hash } = escalation
  const value = shown.kind === 'shown' ? shown.value : undefined
  return (
    <Card
      title="Arguments"
      note="Untrusted text from the agent"
      actions={
        value === undefined ? undefined : (
          <Segments label="Format" value={form} options={FORMS} onChange={setForm} />
        )
      }
    >
      <div className="grid grid-cols-1 gap-3 text-sm">
        {shown.kind !== 'shown' ? <p className="text-ink-soft">{MISSING[shown.kind]}</p> : null}
        {shown.kind === 'shown' && value === undefined ? <Cut text={shown.text} /> : null}
        {value !== undefined && form === 'tree' ? (
          <Fields value={value} condition={escalation.rule?.condition ?? ''} />
        ) : null}
        {shown.kind === 'shown' && value !== undefined && form === 'json' ? (
          <CodeBlock label="Arguments (JSON)" code={shown.text} wrap />
        ) : null}
        {hash === null ? null : (
          <p className="text-ink-faint">
            SHA-256 <Id>{hash}</Id>
          </p>
        )}
      </div>
    </Card>
  )
}

function Cut({ text }: { text: string }) {
  return (
    <>
      <CodeBlock label="Arguments (JSON)" code={text} wrap />
      <p className="text-warn">
        Only the first 32 KB are shown. The approval covers the complete arguments.
      </p>
    </>
  )
}

type FieldsProps = { value: Readonly<Record<string, unknown>>; condition: string }

/** The arguments as a tree, with the values that the rule read marked. */
function Fields({ value, condition }: FieldsProps) {
  const { marked, missing } = ruleReads(condition, value)
  return (
    <>
      <JsonTree
        value={value}
        marked={marked}
        mark={
          <Pill tone="accent" title={condition}>
            Read by the rule
          </Pill>
        }
      />
      {missing.length === 0 ? null : (
        <p className="text-ink-soft">
          The rule also reads{' '}
          <span className="font-mono text-[0.8125rem]">{missing.join(', ')}</span>, which the call
          does not have.
        </p>
      )}
    </>
  )
}
