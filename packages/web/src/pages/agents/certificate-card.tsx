import { useMutation, useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { api, publicApi } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Facts, Id } from '../../ui/facts.tsx'
import { CheckIcon, CrossIcon } from '../../ui/icons.tsx'
import { ErrorState, Loaded } from '../../ui/states.tsx'
import { formatDate } from '../../ui/time.tsx'

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
            <OwnCheck certificate={found} />
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

type Step = { label: string; valid: boolean }

async function check(certificate: Certificate): Promise<{ steps: Step[]; details: string }> {
  const [{ verifyCertificate }, { keys }] = await Promise.all([
    import('@touchstone/protocol'),
    publicApi.request('GET', '/v1/keys'),
  ])
  const outcome = verifyCertificate(certificate, keys)
  if (!outcome.wellFormed) throw new Error('What the service sent is no certificate.')
  const { checks, details } = outcome.verification
  const steps: Step[] = [
    { label: 'Signature by a published key', valid: checks.signature.valid },
    { label: 'Record hash recomputed', valid: checks.record.valid },
    { label: 'Link in the hash chain', valid: checks.chain.valid },
    { label: 'Commitment to what was analysed', valid: checks.input_commitment.valid },
  ]
  if (checks.merkle !== null) {
    steps.push({ label: 'Inclusion in the Merkle tree', valid: checks.merkle.valid })
  }
  return { steps, details }
}

function OwnCheck({ certificate }: { certificate: Certificate }) {
  const checked = useMutation({ mutationFn: () => check(certificate) })
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" busy={checked.isPending} onClick={() => checked.mutate()}>
          Check it in this browser
        </Button>
        <CopyButton text={JSON.stringify(certificate, null, 2)} label="Copy the certificate" />
      </div>
      {checked.error ? <ErrorState error={checked.error} /> : null}
      {checked.data === undefined ? null : (
        <ul className="grid gap-1 text-sm" aria-label="Result of the check">
          {checked.data.steps.map(({ label, valid }) => (
            <li
              key={label}
              className={`flex items-center gap-2 ${valid ? 'text-good' : 'text-bad'}`}
            >
              {valid ? <CheckIcon /> : <CrossIcon />}
              {label}
              <span className="sr-only">{valid ? 'holds' : 'does not hold'}</span>
            </li>
          ))}
          {checked.data.steps.every(({ valid }) => valid) ? null : (
            <li className="text-bad">{checked.data.details}</li>
          )}
        </ul>
      )}
    </div>
  )
}
