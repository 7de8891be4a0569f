import { type ChainState, certify, chainAll, type SealEntry } from './seal.ts'

/** A synchronous signer for tests. */
export type Sealer = {
  keyId: string
  sign(payload: string): string
  issuedAt: string
  baseUrl: string
}

/** Seals and signs the records of one agent in the order given. */
export function sealAll(state: ChainState, entries: readonly SealEntry[], sealer: Sealer) {
  const { unsigned, ...chained } = chainAll(state, entries, sealer)
  const { keyId } = sealer
  const certificates = unsigned.map((one) => {
    const signature = Buffer.from(sealer.sign(one.payload), 'base64')
    return certify(one, { keyId, signature })
  })
  return { ...chained, certificates }
}
