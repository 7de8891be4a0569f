import { classNames } from '../ui/class-names.ts'
import { Facts, Id } from '../ui/facts.tsx'
import { StepList } from './step-list.tsx'
import type { VerificationRun } from './use-verification.ts'
import type { Progress, Step, Verification } from './verification.ts'

export type VerificationViewProps = {
  run: VerificationRun
  /** The steps to show before the result, if they are known in advance. */
  expected?: readonly Step[]
}

/** A verification run, from idle to its verdict. */
export function VerificationView({ run, expected = [] }: VerificationViewProps) {
  return (
    <div className="grid gap-3" aria-live="polite">
      {run.phase === 'fetching' ? <p className="text-sm text-ink-soft">Fetching…</p> : null}
      {run.phase === 'checking' ? <Bar progress={run.progress} /> : null}
      {run.phase === 'failed' ? (
        <p role="alert" className="rounded-md bg-bad-wash px-4 py-3 text-sm text-bad">
          Verification failed to run. {run.reason}
        </p>
      ) : null}
      {run.phase === 'done' ? (
        <Verdict verification={run.verification} />
      ) : (
        <StepList steps={expected.map((step) => asRunning(step, run.phase === 'checking'))} />
      )}
    </div>
  )
}

function asRunning(step: Step, running: boolean): Step {
  return running ? { ...step, state: 'running' } : step
}

function Bar({ progress }: { progress: Progress | undefined }) {
  const share = progress === undefined || progress.total === 0 ? 0 : progress.done / progress.total
  return (
    <div className="grid gap-1">
      <p className="text-sm text-ink-soft tabular">
        {progress === undefined
          ? 'Verifying in this browser…'
          : `${progress.done.toLocaleString('en')} of ${progress.total.toLocaleString('en')} checkpoints`}
      </p>
      <div className="h-1 overflow-hidden rounded-full bg-sunken">
        <div className="h-full bg-accent" style={{ width: `${100 * share}%` }} />
      </div>
    </div>
  )
}

function Verdict({ verification }: { verification: Verification }) {
  const { ok, kind, steps, facts } = verification
  const broken = steps.filter(({ state }) => state !== 'passed').length
  return (
    <>
      <p
        data-verdict={ok ? 'holds' : 'broken'}
        className={classNames(
          'rounded-md px-4 py-2.5 text-sm font-medium',
          ok ? 'bg-good-wash text-good' : 'bg-bad-wash text-bad',
        )}
      >
        {ok
          ? `This ${kind} is valid: every check passed in this browser.`
          : `This ${kind} is not valid: ${broken} of ${steps.length} checks did not pass.`}
      </p>
      <StepList steps={steps} />
      {facts.length === 0 ? null : (
        <div>
          <h3 className="mb-2 text-sm font-semibold">
            {ok ? 'Contents' : 'Contents (not verified)'}
          </h3>
          <Facts facts={facts.map(([label, value]) => ({ label, value: <Id>{value}</Id> }))} />
        </div>
      )}
    </>
  )
}
