import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Facts, Id } from '../../ui/facts.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { ErrorState } from '../../ui/states.tsx'
import { formatDate } from '../../ui/time.tsx'
import { fetchTrust } from '../../verify/fetch-evidence.ts'
import { useVerification } from '../../verify/use-verification.ts'
import { VerificationView } from '../../verify/verification-view.tsx'
import type { Decision, ProvenDecision } from './queries.ts'
import { differencesOf } from './receipt-differences.ts'

/** The signed receipt, and its verification in the browser against the published keys. */
export function ReceiptCard({ decision }: { decision: ProvenDecision }) {
  const { run, start } = useVerification()
  const { receipt, log, decision_id: decisionId } = decision
  const { batch, signature } = receipt
  const differences = differencesOf(decision)
  const createFile = () =>
    new Blob([`${JSON.stringify(log === null ? receipt : { receipt, log }, null, 2)}\n`], {
      type: 'application/json',
    })
  const check = async () => ({ evidence: createFile(), ...(await fetchTrust()) })
  return (
    <Card title="Receipt" note="Signed proof of this decision, which can be checked offline">
      <div className="grid gap-4">
        <Facts
          facts={[
            ...(batch === undefined
              ? []
              : [
                  { label: 'Signed', value: formatDate(batch.at) },
                  { label: 'Batch', value: batchText(batch) },
                  { label: 'Batch root', value: <Id>{batch.root}</Id> },
                ]),
            { label: 'Signing key', value: <Id>{signature.key_id}</Id> },
            {
              label: 'Log',
              value:
                log === null
                  ? 'Not in a published checkpoint yet'
                  : `Entry ${log.index} of the log`,
            },
          ]}
        />
        <div className="flex flex-wrap gap-2">
          <Button
            tone="primary"
            busy={run.phase === 'fetching' || run.phase === 'checking'}
            onClick={() => void start(check)}
          >
            Check receipt
          </Button>
          <Button onClick={() => saveFile(createFile(), `${decisionId}.receipt.json`)}>
            Download receipt
          </Button>
        </div>
        {run.phase === 'idle' ? null : <VerificationView run={run} />}
        {differences.length === 0 ? null : (
          <ErrorState
            error={`The receipt is about another decision. It differs in ${differences.join(', ')}.`}
          />
        )}
      </div>
    </Card>
  )
}

function batchText({ index, size }: NonNullable<Decision['receipt']['batch']>): string {
  return size === 1 ? 'Signed alone' : `Decision ${index + 1} of ${size} signed together`
}
