import { Link } from '@tanstack/react-router'
import { useSession } from '../../../session/use-session.ts'
import { AssuranceMark } from '../../../ui/assurance.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Facts, Id } from '../../../ui/facts.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'
import { useEvidence, useOnChain } from './queries.ts'

/**
 * The evidence behind the score as the service reports it: Merkle tree, certificate, blockchain.
 */
export function EvidenceCard({ agentId }: { agentId: string }) {
  const evidence = useEvidence(agentId)
  return (
    <Card title="Evidence" note="As reported by the service; verify it yourself above">
      <Loaded query={evidence}>
        {({ verified, verification, checked }) => (
          <>
            <Facts
              facts={[
                {
                  label: 'Chain, tree and certificate',
                  value: (
                    <Pill tone={verified ? 'good' : 'bad'}>{verified ? 'Intact' : 'Broken'}</Pill>
                  ),
                },
                { label: 'Merkle root', value: <Id>{verification.merkle_root}</Id> },
                { label: 'Certificate', value: <Id>{verification.certificate_hash}</Id> },
                {
                  label: 'Latest checkpoint',
                  value: <Id>{verification.latest_checkpoint_id}</Id>,
                },
                { label: 'Checked just now', value: <Checked checked={checked} /> },
                { label: 'Last full audit', value: <Ago at={verification.audited_at} /> },
                { label: 'On-chain', value: <OnChain agentId={agentId} /> },
              ]}
            />
            {verification.latest_checkpoint_id === null ? null : (
              <p className="mt-4 flex flex-wrap gap-2">
                <a
                  className={buttonClass()}
                  href={`/v1/checkpoints/${encodeURIComponent(verification.latest_checkpoint_id)}/certificate`}
                  download={`${verification.latest_checkpoint_id}.certificate.json`}
                >
                  Download certificate
                </a>
                <Link
                  to="/verify"
                  search={{ certificate: verification.latest_checkpoint_id }}
                  className={buttonClass()}
                >
                  Verify certificate
                </Link>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

type CheckedCounts = { since_audit: number; sampled: number; unchecked: number }

/** The answer claims nothing about the rest but what the last audit found. */
function Checked({ checked }: { checked: CheckedCounts }) {
  const { since_audit: fresh, sampled, unchecked } = checked
  return (
    <span className="grid gap-0.5">
      <span>{`${count(fresh, 'checkpoint')} since the last audit`}</span>
      <span>{`${count(sampled, 'older checkpoint')} chosen at random`}</span>
      {unchecked === 0 ? null : <span>{`${count(unchecked, 'checkpoint')} not checked yet`}</span>}
    </span>
  )
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString()} ${number === 1 ? noun : `${noun}s`}`
}

function OnChain({ agentId }: { agentId: string }) {
  const session = useSession()
  const status = useOnChain(agentId)
  if (session === undefined) {
    return <span className="text-ink-faint">Sign in to view</span>
  }
  return (
    <Loaded query={status} lines={1}>
      {({ latest_score: score, latest_anchor: anchor }) => (
        <span className="grid gap-0.5">
          <span>
            {score === null
              ? 'Score not published'
              : `Score ${score.score} (${score.grade}) published in block ${score.block_number}`}{' '}
            <AssuranceMark level={score?.assurance} />
          </span>
          <span>
            {anchor === null
              ? 'Merkle root not anchored'
              : `Merkle root anchored in block ${anchor.block_number}`}
          </span>
        </span>
      )}
    </Loaded>
  )
}
