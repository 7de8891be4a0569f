import type { Evaluation } from '@touchstone/protocol/policy'
import type { ReactNode } from 'react'
import { LEVEL_TONES } from '../../ui/level.ts'
import { sentenceCase } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'

export type Findings = Pick<Evaluation, 'violations' | 'warnings' | 'card_gaps'>

/** The reasons for a verdict, blocking ones first. */
export function Reasons({ of }: { of: Findings }) {
  const violations = [...of.violations].sort((a, b) => Number(b.blocking) - Number(a.blocking))
  return (
    <ul className="grid gap-2 text-sm">
      {violations.map((found) => (
        <Reason
          key={`${found.type} ${found.tool} ${found.rule}`}
          tool={found.tool}
          text={found.reason}
          rule={found.rule}
        >
          <Pill tone={LEVEL_TONES[found.severity]}>
            {found.blocking ? `Blocks · ${found.severity}` : sentenceCase(found.severity)}
          </Pill>
        </Reason>
      ))}
      {of.warnings.map((found) => (
        <Reason key={`${found.type} ${found.tool}`} tool={found.tool} text={found.reason}>
          <Pill tone="warn">{sentenceCase(found.type)}</Pill>
        </Reason>
      ))}
      {of.card_gaps.map((gap) => (
        <Reason
          key={`gap ${gap.tool} ${gap.capability}`}
          tool={gap.tool}
          text={`${gap.reason}: ${gap.missing_card_actions.join(', ')}`}
        >
          <Pill>Card gap</Pill>
        </Reason>
      ))}
    </ul>
  )
}

type ReasonProps = { tool: string; text: string; rule?: string; children: ReactNode }

function Reason({ tool, text, rule, children }: ReasonProps) {
  return (
    <li className="grid gap-0.5 border-b border-line pb-2 last:border-0 last:pb-0">
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-mono break-all">{tool === '*' ? 'Entire call' : tool}</span>
        {children}
      </span>
      <span className="break-words text-ink-soft">
        {text}
        {rule === undefined ? null : (
          <span className="ml-2 font-mono text-xs text-ink-faint">{rule}</span>
        )}
      </span>
    </li>
  )
}
