import { useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Facts, Id } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/states.tsx'
import { formatDate } from '../../ui/time.tsx'
import { fetchTrust } from '../../verify/fetch-evidence.ts'
import { useVerification } from '../../verify/use-verification.ts'
import { VerificationView } from '../../verify/verification-view.tsx'

type Certificate = Answer<'GET', '/v1/checkpoints/{checkpoint_id}/certificate'>

/** A checkpoint's certificate, and its verification in the browser against the published keys. */
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
      note="Signed proof of the analysis; any later change would be detected"
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
        { label: 'Chain position', value: chain.position },
        { label: 'Chain hash', value: <Id>{chain.chain_hash}</Id> },
        {
          label: 'Merkle tree',
          value:
            merkle === null
              ? 'Not included, because this checkpoint was not analysed'
              : `Leaf ${merkle.leaf_index} of ${merkle.tree_size}`,
        },
        ...(merkle === null ? [] : [{ label: 'Merkle root', value: <Id>{merkle.root}</Id> }]),
        { label: 'Signing key', value: <Id>{signature.key_id}</Id> },
      ]}
    />
  )
}

function BrowserCheck({ certificate }: { certificate: Certificate }) {
  const { run, start } = useVerification()
  const text = JSON.stringify(certificate, null, 2)
  const check = async () => ({ evidence: new Blob([text]), ...(await fetchTrust()) })
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        <Button
          tone="primary"
          busy={run.phase === 'fetching' || run.phase === 'checking'}
          onClick={() => void start(check)}
        >
          Verify in this browser
        </Button>
        <CopyButton text={text} label="Copy certificate" />
      </div>
      <VerificationView run={run} />
    </div>
  )
}
