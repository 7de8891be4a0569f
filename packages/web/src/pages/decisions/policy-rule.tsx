import type { Owner } from '../policies/owner.ts'
import { usePolicyVersion } from '../policies/queries.ts'
import { usePolicyOwner } from './policy-link.tsx'
import type { Decision } from './queries.ts'
import { ruleLines } from './rule-lines.ts'

/** The lines of the policy that decided, if its reason is one of the policy that is named. */
export function PolicyRule({ decision }: { decision: Decision }) {
  const owner = usePolicyOwner(decision)
  const reason = decision.reasons[0]
  const { policy_version: version } = decision
  if (owner === undefined || version === null || reason?.source !== 'policy') return null
  return <Rule owner={owner} version={version} message={reason.message} />
}

type RuleProps = { owner: Owner; version: number; message: string }

function Rule({ owner, version, message }: RuleProps) {
  const rule = ruleLines(usePolicyVersion(owner, version).data ?? '', message)
  if (rule === undefined) return null
  return (
    <figure className="grid gap-1">
      <figcaption className="text-xs text-ink-faint">
        {owner.kind === 'agent' ? 'Agent policy' : 'Organisation policy'}, version {version}, line{' '}
        {rule.first}
      </figcaption>
      <pre className="rounded-md border border-line bg-sunken p-3 font-mono text-[0.8125rem] leading-relaxed [overflow-wrap:anywhere] whitespace-pre-wrap">
        {rule.text}
      </pre>
    </figure>
  )
}
