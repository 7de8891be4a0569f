import { Link } from '@tanstack/react-router'
import { escapeInvisible } from '@touchstone/protocol/base'
import { useEffect, useRef } from 'react'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Id } from '../../ui/facts.tsx'
import { CrossIcon } from '../../ui/icons.tsx'
import { DecisionMark } from '../../ui/marks.tsx'
import { Loaded } from '../../ui/states.tsx'
import { AskedArguments } from './asked-arguments.tsx'
import { AnswerCard, CallCard, ClientCard, OutcomeCard } from './decision-cards.tsx'
import { useDecision } from './queries.ts'
import { ReceiptCard } from './receipt-card.tsx'
import { SessionTimeline } from './session-timeline.tsx'

type DecisionPanelProps = { orgId: string; decisionId: string; onClose: () => void }

/** One decision beside the list; on narrow screens in its place. Takes the focus when it opens. */
export function DecisionPanel({ orgId, decisionId, onClose }: DecisionPanelProps) {
  const decision = useDecision(orgId, decisionId)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: window.innerWidth >= 1024 }), [])
  const { tool, decision: word, enforced } = decision.data ?? {}
  return (
    <section
      aria-labelledby="decision-panel"
      className="min-w-0 rounded-card border border-line bg-page shadow-soft lg:sticky lg:top-4 lg:max-h-[calc(100dvh-2rem)] lg:overflow-y-auto"
    >
      <header className="z-10 grid gap-2 rounded-t-card border-b border-line bg-surface px-5 py-3 lg:sticky lg:top-0">
        <div className="flex items-start justify-between gap-3">
          <h2
            id="decision-panel"
            ref={heading}
            tabIndex={-1}
            className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 py-1.5 font-mono text-[0.9375rem] font-semibold outline-none"
          >
            {word === undefined ? 'Decision' : <DecisionMark decision={word} enforced={enforced} />}
            {tool === undefined ? null : (
              <span className="min-w-0 break-all">{escapeInvisible(tool)}</span>
            )}
          </h2>
          <span className="flex shrink-0 gap-1">
            <Link
              to="/o/$orgId/decisions/$decisionId"
              params={{ orgId, decisionId }}
              className={buttonClass('quiet')}
            >
              Open page
            </Link>
            <Button tone="quiet" aria-label="Close" onClick={onClose}>
              <CrossIcon />
            </Button>
          </span>
        </div>
        <p className="text-xs text-ink-faint">
          <Id>{decisionId}</Id>
        </p>
      </header>
      <div className="grid gap-4 p-4">
        <Loaded query={decision} lines={5}>
          {(found) => (
            <>
              <AnswerCard decision={found} />
              <AskedArguments decision={found} />
              <SessionTimeline session={found} currentId={found.decision_id} inPanel />
              <CallCard decision={found} />
              <OutcomeCard decision={found} />
              <ReceiptCard key={found.decision_id} decision={found} />
              <ClientCard decision={found} />
            </>
          )}
        </Loaded>
      </div>
    </section>
  )
}
