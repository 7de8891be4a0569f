import { useOrgId } from '../../session/use-org-id.ts'
import { Id } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/text-link.tsx'

/** A link to the page of a decision, and its id. */
export function DecisionLink({ decisionId }: { decisionId: string | null }) {
  const orgId = useOrgId()
  if (decisionId === null) return 'None'
  return (
    <>
      <TextLink to="/o/$orgId/decisions/$decisionId" params={{ orgId, decisionId }}>
        View decision
      </TextLink>
      <span className="block text-ink-faint">
        <Id>{decisionId}</Id>
      </span>
    </>
  )
}
