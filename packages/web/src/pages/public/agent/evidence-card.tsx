import { Link } from '@tanstack/react-router'
import { useSession } from '../../../session/use-session.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Facts, Id } from '../../../ui/facts.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'
import { useEvidence, useOnChain } from './queries.ts'

/** What the score rests on, as the service states it: tree, certificate, chain of blocks. */
export function EvidenceCard({ agentId }: { agentId: string }) {
  const evidence = useEvidence(agentId)
  return (
    <Card title="Evidence" note="The service's own word; the panel above does without it.">
      <Loaded query={evidence}>
        {({ verified, verification }) => (
          <>
            <Facts
              facts={[
                {
                  label: 'Chain, tree and certificate',
                  value: (
                    <Pill tone={verified ? 'good' : 'bad'}>{verified ? 'intact' : 'broken'}</Pill>
                  ),
                },
                { label: 'Merkle root', value: <Id>{verification.merkle_root}</Id> },
                { label: 'Certificate', value: <Id>{verification.certificate_hash}</Id> },
                {
                  label: 'Latest checkpoint',
                  value: <Id>{verification.latest_checkpoint_id}</Id>,
                },
                { label: 'Whole chain audited', value: <Ago at={verification.audited_at} /> },
                { label: 'On chain', value: <OnChain agentId={agentId} /> },
              ]}
            />
            {verification.latest_checkpoint_id === null ? null : (
              <p className="mt-4 flex flex-wrap gap-2">
                <a
                  className={buttonClass()}
                  href={`/v1/checkpoints/${encodeURIComponent(verification.latest_checkpoint_id)}/certificate`}
                  download={`${verification.latest_checkpoint_id}.certificate.json`}
                >
                  Download the certificate
                </a>
                <Link
                  to="/verify"
                  search={{ certificate: verification.latest_checkpoint_id }}
                  className={buttonClass()}
                >
                  Check the certificate
                </Link>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

function OnChain({ agentId }: { agentId: string }) {
  const session = useSession()
  const status = useOnChain(agentId)
  if (session === undefined) {
    return <span className="text-ink-faint">shown when you are signed in</span>
  }
  return (
    <Loaded query={status} lines={1}>
      {({ latest_score: score, latest_anchor: anchor }) => (
        <span className="grid gap-0.5">
          <span>
            {score === null
              ? 'score not published'
              : `score ${score.score}, ${score.grade}, in block ${score.block_number}`}
          </span>
          <span>
            {anchor === null
              ? 'root not anchored'
              : `root anchored in block ${anchor.block_number}`}
          </span>
        </span>
      )}
    </Loaded>
  )
}
