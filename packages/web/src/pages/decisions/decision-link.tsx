import { useOrgId } from '../../session/use-org-id.ts'
import { TextLink } from '../../ui/text-link.tsx'

/** The id of a decision, as a link to its page. */
export function DecisionLink({ decisionId }: { decisionId: string | null }) {
  const orgId = useOrgId()
  if (decisionId === null) return 'None'
  return (
    <TextLink
      to="/o/$orgId/decisions/$decisionId"
      params={{ orgId, decisionId }}
      className="font-mono text-[0.8125rem] break-all"
    >
      {decisionId}
    </TextLink>
  )
}
