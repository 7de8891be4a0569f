import { Link } from '@tanstack/react-router'
import { useOrgId } from '../../session/use-org-id.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CheckIcon } from '../../ui/icons.tsx'
import { DecisionMark } from '../../ui/marks.tsx'
import type { Decision } from '../decisions/queries.ts'

type Props = { isAwaited: boolean; first: Decision | undefined }

/** Turns green when the first decision since the page was opened arrives. */
export function FirstDecision({ isAwaited, first }: Props) {
  const orgId = useOrgId()
  return (
    <Card title="First decision">
      <div className="grid gap-3 text-sm" role="status">
        {first === undefined ? (
          <p className="flex items-center gap-2.5 text-ink-soft">
            <span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-accent" />
            {isAwaited ? 'Waiting for the first decision…' : 'Create a key first.'}
          </p>
        ) : (
          <>
            <p className="flex items-center gap-2 rounded-md bg-good-wash px-3 py-2 font-medium text-good">
              <CheckIcon />
              Connected
            </p>
            <p className="flex flex-wrap items-center gap-2">
              <DecisionMark decision={first.decision} enforced={first.enforced} />
              <code className="font-mono">{first.tool}</code>
            </p>
            <div>
              <Link
                to="/o/$orgId/decisions/$decisionId"
                params={{ orgId, decisionId: first.decision_id }}
                className={buttonClass('primary')}
              >
                View decision
              </Link>
            </div>
          </>
        )}
      </div>
    </Card>
  )
}
