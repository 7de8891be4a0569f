import { useNamesInText } from '../../names/member-name.tsx'
import { TextWithCodes } from '../../names/text-with-codes.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Severity, sentenceCase } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import type { Decision } from './queries.ts'

/** The reasons for a decision. The service gives the one that decided first. */
export function ReasonList({ decision }: { decision: Decision }) {
  const { reasons } = decision
  const nameIn = useNamesInText()
  if (reasons.length === 0) return <p className="text-sm">No rule objected to the call.</p>
  return (
    <ul className="grid gap-3 text-sm">
      {reasons.map((reason, place) => (
        <li
          key={`${reason.source} ${reason.code} ${reason.tool} ${reason.message}`}
          className={classNames(
            'grid gap-1 border-l-2 pl-4',
            place === 0 ? 'border-accent' : 'border-line text-ink-soft',
          )}
        >
          <p className={classNames('break-words', place === 0 && 'font-medium')}>
            <TextWithCodes>{nameIn(reason.message)}</TextWithCodes>
          </p>
          <p className="flex flex-wrap items-center gap-1.5 text-xs text-ink-faint">
            <Pill>{sentenceCase(reason.source)}</Pill>
            <Pill>{sentenceCase(reason.code)}</Pill>
            {reason.severity === null ? null : <Severity severity={reason.severity} />}
            {reason.tool === decision.tool ? null : (
              <span className="font-mono break-all">{reason.tool}</span>
            )}
          </p>
        </li>
      ))}
    </ul>
  )
}
