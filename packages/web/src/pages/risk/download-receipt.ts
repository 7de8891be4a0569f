import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import type { Proof } from './queries.ts'

type Receipt = NonNullable<Proof['receipt']>

/** A file that anybody can verify with: the receipt with its proof inside, however large. */
export async function downloadReceipt(
  orgId: string,
  proofId: string,
  receipt: Receipt,
): Promise<void> {
  const whole = { ...receipt, proof: receipt.proof ?? (await fetchProof(orgId, proofId)) }
  const blob = new Blob([`${JSON.stringify(whole, null, 2)}\n`], { type: 'application/json' })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = `receipt-${proofId}.json`
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Large proofs come apart from their receipts. */
async function fetchProof(orgId: string, proofId: string): Promise<string> {
  const answer = await api.raw('GET', '/v1/risk/proofs/{proof_id}/data', {
    ...forOrg(orgId),
    params: { proof_id: proofId },
    headers: { ...forOrg(orgId).headers, accept: 'application/octet-stream' },
  })
  const bytes = new Uint8Array(await answer.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
