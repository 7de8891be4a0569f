import type { PolicyDocument } from '@touchstone/protocol/policy'
import { useState } from 'react'
import { useOrgId } from '../../session/use-org-id.ts'
import { Figure } from '../../ui/figure.tsx'
import { sentenceCase, Verdict } from '../../ui/marks.tsx'
import { Pill, type Tone } from '../../ui/pill.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import type { Owner } from './owner.ts'
import { type Impact, useImpact } from './queries.ts'

const DAYS = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
] as const

type Days = (typeof DAYS)[number]['value']

/** How the draft would have changed the verdicts on past traces. */
export function ImpactView({ owner, policy }: { owner: Owner; policy: PolicyDocument }) {
  const orgId = useOrgId()
  const [days, setDays] = useState<Days>('7')
  const impact = useImpact({ orgId, owner, policy, days: Number(days) })
  return (
    <section className="grid gap-4">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h3 className="text-sm font-semibold">Impact on past traces</h3>
        <Segments label="Period" value={days} options={DAYS} onChange={setDays} />
      </header>
      <Loaded query={impact} lines={4}>
        {(data) => <ImpactParts impact={data} />}
      </Loaded>
    </section>
  )
}

function ImpactParts({ impact }: { impact: Impact }) {
  return (
    <div className="grid gap-5">
      <Comparison impact={impact} />
      <div className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        <Figure
          label="Evaluated traces"
          note={impact.truncated ? 'Older traces omitted' : undefined}
        >
          {impact.traces_evaluated}
        </Figure>
        <Figure label="Newly failing">
          <span className={impact.newly_failing > 0 ? 'text-bad' : undefined}>
            {impact.newly_failing}
          </span>
        </Figure>
        <Figure label="Newly passing">
          <span className={impact.newly_passing > 0 ? 'text-good' : undefined}>
            {impact.newly_passing}
          </span>
        </Figure>
        <Figure label="Unchanged">{impact.unchanged}</Figure>
      </div>
      {impact.tools.length === 0 ? null : <ByTool impact={impact} />}
      {impact.agents.length < 2 ? null : <ByAgent impact={impact} />}
    </div>
  )
}

const RELATIONS: Record<NonNullable<Impact['relation']>, { tone: Tone; text: string }> = {
  equal: { tone: 'neutral', text: 'Blocks the same tools as the current policy.' },
  stricter: { tone: 'warn', text: 'Blocks everything the current policy blocks, and more.' },
  looser: { tone: 'info', text: 'Blocks less than the current policy, and nothing new.' },
  incomparable: {
    tone: 'warn',
    text: 'Blocks some tools that are allowed today, and allows some that are blocked.',
  },
}

function Comparison({ impact }: { impact: Impact }) {
  const { relation, counterexample, unweighed, may_loosen: loosened } = impact
  const { newly_blocked: blocked, newly_allowed: allowed } = counterexample
  return (
    <div className="grid gap-1 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        {relation === null ? (
          <span className="text-ink-soft">{impact.relation_reason}</span>
        ) : (
          <>
            <Pill tone={RELATIONS[relation].tone}>{sentenceCase(relation)}</Pill>
            {RELATIONS[relation].text}
          </>
        )}
      </p>
      <p className="text-ink-soft">
        {blocked === null ? null : (
          <>
            Newly blocked, for example: <code className="font-mono">{blocked}</code>.{' '}
          </>
        )}
        {allowed === null ? null : (
          <>
            No longer blocked, for example: <code className="font-mono">{allowed}</code>.{' '}
          </>
        )}
        {unweighed.length === 0
          ? null
          : `Not included in this comparison: ${joinNames(unweighed)}.`}
      </p>
      {loosened.length === 0 ? null : (
        <p className="text-warn">May allow calls that are blocked today: {joinNames(loosened)}.</p>
      )}
    </div>
  )
}

function joinNames(names: readonly string[]): string {
  return names.join(', ').replaceAll('_', ' ')
}

type ToolImpact = Impact['tools'][number]

function ByTool({ impact }: { impact: Impact }) {
  return (
    <section className="grid gap-1">
      <h4 className="text-xs text-ink-faint">
        By tool
        {impact.tools_total > impact.tools.length
          ? ` (${impact.tools.length} of ${impact.tools_total})`
          : ''}
      </h4>
      <ul className="border-y border-line">
        {impact.tools.map((tool) => (
          <li key={tool.tool} className="border-b border-line py-2 text-sm last:border-0">
            <ToolLine tool={tool} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function ToolLine({ tool }: { tool: ToolImpact }) {
  const counts = <Counts of={tool} />
  const name = tool.tool === '*' ? 'Entire call' : tool.tool
  if (tool.samples.length === 0) {
    return (
      <p className="flex flex-wrap justify-between gap-3">
        <span className="font-mono break-all">{name}</span>
        {counts}
      </p>
    )
  }
  return (
    <details>
      <summary className="flex flex-wrap justify-between gap-3">
        <span className="font-mono break-all underline decoration-line-strong underline-offset-4">
          {name}
        </span>
        {counts}
      </summary>
      <ul className="mt-2 grid gap-1 text-xs text-ink-soft">
        {tool.samples.map((sample) => (
          <li key={sample.trace_id} className="flex flex-wrap items-center gap-2">
            <Verdict verdict={sample.before} />→
            <Verdict verdict={sample.after} />
            <span className="font-mono">{sample.agent_id}</span>
            <span className="font-mono break-all text-ink-faint">{sample.trace_id}</span>
            <Ago at={sample.timestamp} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function Counts({ of }: { of: Pick<Impact, 'newly_failing' | 'newly_passing' | 'unchanged'> }) {
  return (
    <span className="flex gap-3 text-ink-soft tabular">
      {of.newly_failing === 0 ? null : (
        <span className="text-bad">{of.newly_failing} newly failing</span>
      )}
      {of.newly_passing === 0 ? null : (
        <span className="text-good">{of.newly_passing} newly passing</span>
      )}
      <span>{of.unchanged} unchanged</span>
    </span>
  )
}

function ByAgent({ impact }: { impact: Impact }) {
  return (
    <section className="grid gap-1">
      <h4 className="text-xs text-ink-faint">
        By agent
        {impact.agents_total > impact.agents.length
          ? ` (${impact.agents.length} of ${impact.agents_total})`
          : ''}
      </h4>
      <ul className="border-y border-line">
        {impact.agents.map((agent) => (
          <li
            key={agent.agent_id}
            className="flex flex-wrap justify-between gap-3 border-b border-line py-2 text-sm last:border-0"
          >
            <span className="font-mono break-all">{agent.agent_id}</span>
            <Counts of={agent} />
          </li>
        ))}
      </ul>
    </section>
  )
}
