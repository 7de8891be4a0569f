import { useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Facts, Id } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/states.tsx'
import { formatDate } from '../../ui/time.tsx'
import { fetchKeys } from '../../verify/fetch-evidence.ts'
import { useVerification } from '../../verify/use-verification.ts'
import { VerificationView } from '../../verify/verification-view.tsx'

type Certificate = Answer<'GET', '/v1/checkpoints/{checkpoint_id}/certificate'>

/** The seal of a checkpoint, and a check of it that trusts nothing but the published keys. */
export function CertificateCard({ checkpointId }: { checkpointId: string }) {
  const certificate = useQuery({
    queryKey: ['certificate', checkpointId],
    queryFn: () =>
      api.request('GET', '/v1/checkpoints/{checkpoint_id}/certificate', {
        params: { checkpoint_id: checkpointId },
      }),
  })
  return (
    <Card
      title="Certificate"
      note="What was found, sealed at the time; a change of one letter would show."
    >
      <Loaded query={certificate} lines={5}>
        {(found) => (
          <div className="grid gap-5">
            <CertificateFacts certificate={found} />
            <BrowserCheck certificate={found} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function CertificateFacts({ certificate }: { certificate: Certificate }) {
  const { chain, merkle, signature } = certificate.proofs
  return (
    <Facts
      facts={[
        { label: 'Issued', value: formatDate(certificate.issued_at) },
        { label: 'Place in the chain', value: chain.position },
        { label: 'Chain hash', value: <Id>{chain.chain_hash}</Id> },
        {
          label: 'In the tree',
          value:
            merkle === null
              ? 'Not a leaf: this checkpoint was not analysed.'
              : `leaf ${merkle.leaf_index} of ${merkle.tree_size}`,
        },
        ...(merkle === null ? [] : [{ label: 'Root', value: <Id>{merkle.root}</Id> }]),
        { label: 'Signed with', value: <Id>{signature.key_id}</Id> },
      ]}
    />
  )
}

function BrowserCheck({ certificate }: { certificate: Certificate }) {
  const { run, start } = useVerification()
  const text = JSON.stringify(certificate, null, 2)
  const check = async () => ({ evidence: new Blob([text]), keys: await fetchKeys() })
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        <Button
          tone="primary"
          busy={run.phase === 'fetching' || run.phase === 'checking'}
          onClick={() => void start(check)}
        >
          Check it in this browser
        </Button>
        <CopyButton text={text} label="Copy the certificate" />
      </div>
      <VerificationView run={run} />
    </div>
  )
}
