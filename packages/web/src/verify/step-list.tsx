import { classNames } from '../ui/class-names.ts'
import { CheckIcon, CrossIcon } from '../ui/icons.tsx'
import type { Step, StepState } from './verification.ts'

/** The verification steps, one per line, each with its result and its failures. */
export function StepList({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="grid">
      {steps.map((step) => (
        <li
          key={step.key}
          data-step={step.key}
          data-state={step.state}
          className="flex gap-3 border-b border-line py-2.5 last:border-0"
        >
          <StepMark state={step.state} />
          <div className="min-w-0 flex-1">
            <p className="flex flex-wrap items-baseline justify-between gap-x-4">
              <span className={step.state === 'failed' ? 'font-medium text-bad' : undefined}>
                {step.claim}
              </span>
              <span className="text-xs text-ink-faint tabular">{stepNote(step)}</span>
            </p>
            {step.faults.map((fault) => (
              <p key={fault} className="mt-1 font-mono text-xs break-words text-bad">
                {fault}
              </p>
            ))}
          </div>
        </li>
      ))}
    </ol>
  )
}

function stepNote({ state, detail }: Step): string {
  if (state === 'failed') return 'Failed'
  if (state === 'not_reached') return 'Not checked'
  return detail ?? ''
}

const MARKS: Record<StepState, string> = {
  waiting: 'border-line-strong text-transparent',
  running: 'border-accent border-r-transparent text-transparent animate-spin',
  passed: 'border-good bg-good-wash text-good',
  failed: 'border-bad bg-bad-wash text-bad',
  not_reached: 'border-dashed border-line-strong text-transparent',
}

const LABELS: Record<StepState, string> = {
  waiting: 'Pending: ',
  running: 'Running: ',
  passed: 'Passed: ',
  failed: 'Failed: ',
  not_reached: 'Not checked: ',
}

function StepMark({ state }: { state: StepState }) {
  return (
    <span
      className={classNames(
        'mt-0.5 flex size-5 shrink-0 items-center justify-center rounded-full border transition-colors [&_svg]:size-3',
        MARKS[state],
      )}
    >
      <span className="sr-only">{LABELS[state]}</span>
      {state === 'failed' ? <CrossIcon /> : <CheckIcon />}
    </span>
  )
}
