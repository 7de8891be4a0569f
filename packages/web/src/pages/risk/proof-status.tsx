import { Pill, type Tone } from '../../ui/pill.tsx'
import type { Assessment } from './queries.ts'

type Status = Assessment['proof_status']

const LABELS: Record<Status, { tone: Tone; label: string }> = {
  none: { tone: 'neutral', label: 'none' },
  pending: { tone: 'info', label: 'queued' },
  proving: { tone: 'info', label: 'proving' },
  verified: { tone: 'good', label: 'proved' },
  failed: { tone: 'bad', label: 'failed' },
}

export function ProofStatus({ status }: { status: Status }) {
  return <Pill tone={LABELS[status].tone}>{LABELS[status].label}</Pill>
}
