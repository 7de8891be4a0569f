import { Loaded } from '../../ui/states.tsx'
import { ArgumentsCard } from '../approvals/arguments-card.tsx'
import { useEscalation } from '../approvals/queries.ts'
import type { Decision } from './queries.ts'

/** The arguments of a call that a person was asked about; those of other calls are not stored. */
export function AskedArguments({ decision }: { decision: Decision }) {
  const { org_id: orgId, escalation_id: escalationId } = decision
  if (escalationId === null) return null
  return <Asked orgId={orgId} escalationId={escalationId} />
}

function Asked({ orgId, escalationId }: { orgId: string; escalationId: string }) {
  const escalation = useEscalation(orgId, escalationId)
  return (
    <Loaded query={escalation} lines={2}>
      {(found) => <ArgumentsCard escalation={found} />}
    </Loaded>
  )
}
