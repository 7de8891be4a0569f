import { Link } from '@tanstack/react-router'
import { escapeInvisible } from '@touchstone/protocol/base'
import { useAgentName } from '../../names/agent-link.tsx'
import { classNames } from '../../ui/class-names.ts'
import { ArrowIcon } from '../../ui/icons.tsx'
import { Ago } from '../../ui/time.tsx'
import { EscalationStatus } from './escalation-status.tsx'
import type { Escalation } from './queries.ts'
import { TimeLeft } from './time-left-mark.tsx'

type ApprovalLineProps = {
  orgId: string
  escalation: Escalation
  /** Undefined if the reader cannot answer it, or it has ended. */
  choice?: { isChosen: boolean; onChange: (isChosen: boolean) => void } | undefined
}

/** One call of a list. The whole line opens it, as a small link is hard to hit with a thumb. */
export function ApprovalLine({ orgId, escalation, choice }: ApprovalLineProps) {
  const name = useAgentName()(escalation.agent_id)
  const tool = escapeInvisible(escalation.tool)
  const isPending = escalation.status === 'pending'
  return (
    <li
      className={classNames(
        'relative flex min-h-16 items-start gap-3 border-b border-line px-5 py-4 last:border-0 hover:bg-sunken/50',
        choice?.isChosen === true && 'bg-sunken',
      )}
    >
      {choice === undefined ? null : (
        <label className="relative z-10 -m-3 grid size-11 shrink-0 cursor-pointer place-items-center">
          <input
            type="checkbox"
            checked={choice.isChosen}
            onChange={(event) => choice.onChange(event.target.checked)}
            aria-label={`Select ${name}, ${tool}`}
            className="size-4.5 accent-accent"
          />
        </label>
      )}
      <div className="grid min-w-0 flex-1 gap-1">
        <p className="break-words">
          <Link
            to="/o/$orgId/approvals/$escalationId"
            params={{ orgId, escalationId: escalation.escalation_id }}
            className="outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-focus"
          >
            <span className="sr-only">{isPending ? 'Review' : 'View'} </span>
            <span className="font-medium">{name}</span>
            <span className="sr-only">,</span>{' '}
            <span aria-hidden="true" className="text-ink-soft">
              {isPending ? 'wants to call' : 'wanted to call'}{' '}
            </span>
            <span className="font-mono text-sm font-medium [overflow-wrap:anywhere]">{tool}</span>
          </Link>
        </p>
        <p className="text-sm break-words text-ink-soft">{escalation.reason}</p>
        {isPending && escalation.justification !== null ? (
          <p className="line-clamp-2 text-sm break-words">
            <span className="text-ink-faint">The agent says:</span>{' '}
            <span className="font-serif italic">“{escapeInvisible(escalation.justification)}”</span>
          </p>
        ) : null}
        <Facts escalation={escalation} />
      </div>
      {isPending ? null : <EscalationStatus status={escalation.status} />}
      <span className="self-center text-ink-faint max-sm:hidden">
        <ArrowIcon />
      </span>
    </li>
  )
}

function Facts({ escalation }: { escalation: Escalation }) {
  const { status, session_id: sessionId, approvals_required: required } = escalation
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-ink-faint">
      {status === 'pending' ? (
        <span className="font-medium text-ink-soft">
          <TimeLeft until={escalation.expires_at} />
        </span>
      ) : null}
      <span>
        Requested <Ago at={escalation.created_at} />
      </span>
      {required > 1 ? (
        <span>
          {escalation.approvals.length} of {required} approvals
        </span>
      ) : null}
      {sessionId === null ? null : (
        <span className="break-all max-sm:hidden">
          Session <span className="font-mono">{sessionId}</span>
        </span>
      )}
    </p>
  )
}
