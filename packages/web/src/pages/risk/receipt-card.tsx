import { Link } from '@tanstack/react-router'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Facts, Id } from '../../ui/facts.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { ErrorState, Loaded } from '../../ui/states.tsx'
import { createReceiptFile } from '../../verify/fetch-evidence.ts'
import { ProofStatus } from './proof-status.tsx'
import { type Assessment, type Proof, riskKey, useProof } from './queries.ts'

/**
 * The receipt that proves the score follows from the committed inputs, or the state of its proof.
 */
export function ReceiptCard({ orgId, assessment }: { orgId: string; assessment: Assessment }) {
  const { proof_id: proofId } = assessment
  if (proofId !== null) return <ProofCard orgId={orgId} proofId={proofId} />
  return <NoProofCard orgId={orgId} assessment={assessment} />
}

function NoProofCard({ orgId, assessment }: { orgId: string; assessment: Assessment }) {
  const { assessment_id: assessmentId } = assessment
  const prove = useAction({
    run: (id: string) =>
      api.request('POST', '/v1/risk/assessments/{assessment_id}/prove', {
        ...forOrg(orgId),
        params: { assessment_id: id },
      }),
    refresh: [riskKey(orgId)],
  })
  return (
    <Card title="Receipt">
      <p className="mb-3 text-sm text-ink-soft">No proof was requested.</p>
      {assessmentId === null ? null : (
        <Button busy={prove.isPending} onClick={() => prove.mutate(assessmentId)}>
          Request proof
        </Button>
      )}
    </Card>
  )
}

function ProofCard({ orgId, proofId }: { orgId: string; proofId: string }) {
  const proof = useProof(orgId, proofId)
  return (
    <Card
      title="Receipt"
      actions={proof.data === undefined ? undefined : <ProofStatus status={proof.data.status} />}
    >
      <Loaded query={proof} lines={4}>
        {(data) => (
          <div className="grid gap-4">
            <Steps status={data.status} />
            {data.status === 'failed' ? <Failure orgId={orgId} proof={data} /> : null}
            {data.receipt === null ? null : (
              <Receipt orgId={orgId} proof={data} receipt={data.receipt} />
            )}
          </div>
        )}
      </Loaded>
    </Card>
  )
}

const STEPS = ['Queued', 'Proving', 'Proved'] as const
const REACHED: Record<Proof['status'], number> = { pending: 1, proving: 2, verified: 3, failed: 2 }

function Steps({ status }: { status: Proof['status'] }) {
  return (
    <ol aria-label="Proof progress" className="grid grid-cols-3 gap-1 text-xs">
      {STEPS.map((step, at) => {
        const isReached = at < REACHED[status]
        const isNow = at === REACHED[status] - 1
        return (
          <li
            key={step}
            aria-current={isNow ? 'step' : undefined}
            className={classNames('grid gap-1', isReached ? 'text-ink' : 'text-ink-faint')}
          >
            <span
              aria-hidden="true"
              className={classNames(
                'h-1 rounded-full',
                isReached ? 'bg-accent' : 'bg-sunken',
                isNow && status !== 'verified' && status !== 'failed' && 'animate-pulse',
              )}
            />
            {step}
          </li>
        )
      })}
    </ol>
  )
}

function Failure({ orgId, proof }: { orgId: string; proof: Proof }) {
  const retry = useAction({
    run: () =>
      api.request('POST', '/v1/risk/proofs/{proof_id}/retry', {
        ...forOrg(orgId),
        params: { proof_id: proof.proof_id },
      }),
    refresh: [riskKey(orgId)],
  })
  return (
    <div className="grid gap-3">
      <ErrorState error={proof.error ?? 'The proof could not be generated.'} />
      <div>
        <Button busy={retry.isPending} onClick={() => retry.mutate()}>
          Try again
        </Button>
      </div>
    </div>
  )
}

type ReceiptProps = { orgId: string; proof: Proof; receipt: NonNullable<Proof['receipt']> }

function Receipt({ orgId, proof, receipt }: ReceiptProps) {
  const download = useAction({
    run: async () => {
      const file = await createReceiptFile(orgId, proof.proof_id, receipt)
      saveFile(file, `receipt-${proof.proof_id}.json`)
    },
    refresh: [],
  })
  return (
    <>
      <Facts
        facts={[
          { label: 'System', value: `${receipt.system} ${receipt.system_version}` },
          {
            label: 'Security',
            value: `${receipt.security_bits} bits${receipt.audited ? '' : ' (not audited)'}`,
          },
          { label: 'Size', value: `${Math.ceil(receipt.proof_bytes / 1024)} KB` },
          { label: 'Proving time', value: `${(receipt.proving_ms / 1000).toFixed(1)} s` },
          { label: 'Program ID', value: <Id>{receipt.program_id}</Id> },
          { label: 'Proof SHA-256', value: <Id>{receipt.proof_sha256}</Id> },
        ]}
      />
      <div className="flex flex-wrap gap-2">
        <Button busy={download.isPending} onClick={() => download.mutate()}>
          Download receipt
        </Button>
        <Link
          to="/verify"
          search={{ receipt: proof.proof_id, org: orgId }}
          className={buttonClass('primary')}
        >
          Verify in browser
        </Link>
      </div>
    </>
  )
}
