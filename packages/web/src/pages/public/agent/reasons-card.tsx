import { Card } from '../../../ui/card.tsx'
import { Empty } from '../../../ui/states.tsx'
import type { Reputation } from './queries.ts'
import { REASONS } from './reasons.ts'

type Reason = NonNullable<Reputation['reason_codes']>[number]

/** Reasons for lost points, largest loss first. */
export function ReasonsCard({ reputation }: { reputation: Reputation }) {
  const reasons = reputation.reason_codes ?? []
  return (
    <Card title="Lost points" note="Largest loss first, with evidence">
      {reasons.length === 0 ? (
        <Empty title="No points lost" />
      ) : (
        <ul className="grid">
          {reasons.map((reason) => (
            <ReasonRow key={reason.code} reason={reason} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function ReasonRow({ reason }: { reason: Reason }) {
  const { code, points_lost: lost, evidence_ids: ids } = reason
  return (
    <li className="flex gap-4 border-b border-line py-2.5 first:pt-0 last:border-0 last:pb-0">
      <span className="w-14 shrink-0 text-right font-semibold text-bad tabular">
        −{lost.toFixed(1)}
      </span>
      <div className="min-w-0 flex-1">
        <p>{REASONS[code] ?? code}</p>
        <p className="font-mono text-xs text-ink-faint">{code}</p>
        {ids.length === 0 ? null : <EvidenceIds ids={ids} />}
      </div>
    </li>
  )
}

function EvidenceIds({ ids }: { ids: readonly string[] }) {
  return (
    <details className="mt-1 text-sm">
      <summary className="text-accent">
        {ids.length === 1 ? '1 evidence record' : `${ids.length} evidence records`}
      </summary>
      <ul className="mt-1 grid gap-0.5 font-mono text-xs break-all text-ink-soft">
        {ids.map((id) => (
          <li key={id}>{id}</li>
        ))}
      </ul>
    </details>
  )
}
