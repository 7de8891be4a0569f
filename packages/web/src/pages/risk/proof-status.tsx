import { Pill, type Tone } from '../../ui/pill.tsx'
import type { Assessment } from './queries.ts'

type Status = Assessment['proof_status']

const LABELS: Record<Status, { tone: Tone; label: string }> = {
  none: { tone: 'neutral', label: 'None' },
  pending: { tone: 'info', label: 'Queued' },
  proving: { tone: 'info', label: 'Proving' },
  verified: { tone: 'good', label: 'Proved' },
  failed: { tone: 'bad', label: 'Failed' },
}

export function ProofStatus({ status }: { status: Status }) {
  return <Pill tone={LABELS[status].tone}>{LABELS[status].label}</Pill>
}
