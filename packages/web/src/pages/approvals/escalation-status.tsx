import { sentenceCase } from '../../ui/marks.tsx'
import { Pill, type Tone } from '../../ui/pill.tsx'
import type { Escalation } from './queries.ts'

const TONES: Record<Escalation['status'], Tone> = {
  pending: 'warn',
  approved: 'good',
  rejected: 'bad',
  expired: 'neutral',
}

export function EscalationStatus({ status }: { status: Escalation['status'] }) {
  return <Pill tone={TONES[status]}>{sentenceCase(status)}</Pill>
}
