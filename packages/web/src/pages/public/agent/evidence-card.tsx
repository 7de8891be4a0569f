import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../../../session/use-session.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { DefinitionList } from '../../../ui/definition-list.tsx'
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
            <DefinitionList
              items={[
                [
                  'Chain, tree and certificate',
                  <Pill key="p" tone={verified ? 'good' : 'bad'}>
                    {verified ? 'intact' : 'broken'}
                  </Pill>,
                ],
                ['Merkle root', <Mono key="m">{verification.merkle_root}</Mono>],
                ['Certificate', <Mono key="c">{verification.certificate_hash}</Mono>],
                ['Latest checkpoint', <Mono key="l">{verification.latest_checkpoint_id}</Mono>],
                ['Last audit of the whole chain', <Ago key="a" at={verification.audited_at} />],
                ['On chain', <OnChain key="o" agentId={agentId} />],
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
                <Link to="/verify" className={buttonClass('quiet')}>
                  Check a file you kept
                </Link>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

function Mono({ children }: { children: ReactNode }) {
  return <span className="font-mono text-xs break-all">{children ?? 'none'}</span>
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
        <span className="grid justify-items-end gap-0.5">
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
