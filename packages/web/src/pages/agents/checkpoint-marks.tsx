import { NotJudged, sentenceCase, Verdict } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import type { Checkpoint } from './queries.ts'
import type { Refusal } from './use-refusals.ts'

type CheckpointMarksProps = {
  checkpoint: Pick<Checkpoint, 'verdict' | 'synthetic' | 'reclassification'>
  refusal: Refusal
}

/**
 * The verdict on a checkpoint and what became of its call. A clear verdict on a refused call is not
 * green, nor while that is unknown: it says that the agent's reasoning was in order, not that the
 * call was.
 */
export function CheckpointMarks({ checkpoint, refusal }: CheckpointMarksProps) {
  const { verdict, synthetic, reclassification } = checkpoint
  return (
    <span className="flex flex-wrap gap-1">
      {refusal === 'blocked' ? <Pill tone="bad">Call blocked</Pill> : null}
      {refusal === 'escalated' ? <Pill tone="warn">Call escalated</Pill> : null}
      {synthetic ? <NotJudged /> : null}
      {synthetic ? null : verdict === 'clear' && refusal !== undefined ? (
        <Pill>Clear</Pill>
      ) : (
        <Verdict verdict={verdict} />
      )}
      {reclassification === null ? null : <Pill>{sentenceCase(reclassification)}</Pill>}
    </span>
  )
}
