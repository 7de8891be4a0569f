import { Pill, type Tone } from '../../ui/pill.tsx'
import type { Assessment } from './queries.ts'

type Status = Assessment['proof_status']

const WORDS: Record<Status, { tone: Tone; word: string }> = {
  none: { tone: 'neutral', word: 'none' },
  pending: { tone: 'info', word: 'queued' },
  proving: { tone: 'info', word: 'proving' },
  verified: { tone: 'good', word: 'proved' },
  failed: { tone: 'bad', word: 'failed' },
}

export function ProofStatus({ status }: { status: Status }) {
  return <Pill tone={WORDS[status].tone}>{WORDS[status].word}</Pill>
}
