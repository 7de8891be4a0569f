import { CheckIcon } from '../../ui/icons.tsx'
import { sentenceCase } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import type { DraftProblem } from './check-draft.ts'

export type ProblemListProps = {
  /** Undefined until the draft was checked. */
  problems: readonly DraftProblem[] | undefined
  /** The code of the check could not be loaded. */
  hasFailed: boolean
}

/** Errors and warnings of a draft, in text order. */
export function ProblemList({ problems, hasFailed }: ProblemListProps) {
  if (problems === undefined) {
    return (
      <p
        role="status"
        data-loading={hasFailed ? undefined : ''}
        className="border-t border-line px-5 py-2.5 text-sm text-ink-faint"
      >
        {hasFailed ? 'The check could not be loaded. Reload the page to try again.' : 'Checking…'}
      </p>
    )
  }
  const errors = problems.filter(({ severity }) => severity === 'error').length
  return (
    <div aria-live="polite" className="border-t border-line">
      {problems.length === 0 ? (
        <p className="flex items-center gap-2 px-5 py-2.5 text-sm text-good">
          <CheckIcon /> Valid, and every rule has an effect
        </p>
      ) : (
        <>
          <p className="px-5 pt-2.5 text-xs text-ink-faint">
            {pluralise(errors, 'error')}, {pluralise(problems.length - errors, 'warning')}
          </p>
          <ul className="max-h-56 overflow-y-auto py-1">
            {problems.map((problem) => (
              <li
                key={`${problem.from} ${problem.path} ${problem.message}`}
                className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-3 px-5 py-1 text-sm"
              >
                <Pill tone={problem.severity === 'error' ? 'bad' : 'warn'}>
                  {sentenceCase(problem.severity)}
                </Pill>
                <span className="min-w-0 break-words">
                  {problem.path === '' ? null : (
                    <span className="mr-2 font-mono text-xs text-ink-faint">
                      {problem.path.slice(1).replaceAll('/', '.')}
                    </span>
                  )}
                  {problem.message}
                </span>
                <span className="text-xs whitespace-nowrap text-ink-faint tabular">
                  Line {problem.line}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

const pluralise = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
