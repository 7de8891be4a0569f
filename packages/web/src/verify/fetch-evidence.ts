import type { Answer } from '@touchstone/sdk'
import { forOrg } from '../session/for-org.ts'
import { api, publicApi } from '../session/session.ts'
import { findSession } from '../session/use-session.ts'
import type { VerifyRequest } from './verification.ts'
import type { VerifyLink } from './verify-link.ts'

/**
 * Fetches the evidence a link names, with the session if there is one, since some is not public.
 */
export async function fetchLinkedEvidence(link: VerifyLink): Promise<VerifyRequest> {
  const { bundle, certificate, receipt = '', org = '' } = link
  await findSession()
  if (bundle !== undefined) return fetchBundle(bundle)
  if (certificate === undefined) {
    return { evidence: await fetchReceipt(org, receipt), ...(await fetchTrust()) }
  }
  const answer = await api.raw('GET', '/v1/checkpoints/{checkpoint_id}/certificate', {
    params: { checkpoint_id: certificate },
  })
  return { evidence: await answer.blob(), ...(await fetchTrust()) }
}

export async function fetchBundle(agentId: string): Promise<VerifyRequest> {
  const [answer, trust] = await Promise.all([
    api.raw('GET', '/v1/reputation/{agent_id}/bundle', { params: { agent_id: agentId } }),
    fetchTrust(),
  ])
  return { kind: 'bundle', evidence: await answer.blob(), ...trust }
}

/** The keys that the service says to trust: those that sign, and those of its log and witnesses. */
export async function fetchTrust() {
  const [keys, policy] = await Promise.all([fetchKeys(), fetchPolicy()])
  return { keys, policy }
}

/** The trust policy of the log. */
export async function fetchPolicy(): Promise<string> {
  return (await publicApi.raw('GET', '/v1/log/policy')).text()
}

/** The signing keys the service publishes. */
export async function fetchKeys() {
  return (await publicApi.request('GET', '/v1/keys')).keys.map(({ key_id, public_key }) => ({
    key_id,
    public_key,
  }))
}

async function fetchReceipt(orgId: string, proofId: string): Promise<Blob> {
  const { receipt } = await api.request('GET', '/v1/risk/proofs/{proof_id}', {
    ...forOrg(orgId),
    params: { proof_id: proofId },
  })
  if (receipt === null)
    throw new Error('The proof is not ready yet. Proving takes seconds to minutes.')
  return createReceiptFile(orgId, proofId, receipt)
}

type Receipt = NonNullable<Answer<'GET', '/v1/risk/proofs/{proof_id}'>['receipt']>

/** A self-contained receipt file: the receipt with its proof embedded. */
export async function createReceiptFile(
  orgId: string,
  proofId: string,
  receipt: Receipt,
): Promise<Blob> {
  const whole = { ...receipt, proof: receipt.proof ?? (await fetchProof(orgId, proofId)) }
  return new Blob([`${JSON.stringify(whole, null, 2)}\n`], { type: 'application/json' })
}

/** The API returns large proofs separately from their receipts. */
async function fetchProof(orgId: string, proofId: string): Promise<string> {
  const answer = await api.raw('GET', '/v1/risk/proofs/{proof_id}/data', {
    ...forOrg(orgId),
    params: { proof_id: proofId },
    headers: { ...forOrg(orgId).headers, accept: 'application/octet-stream' },
  })
  const bytes = new Uint8Array(await answer.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
