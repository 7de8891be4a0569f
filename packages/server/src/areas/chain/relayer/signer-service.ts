import { randomBytes } from 'node:crypto'
import type { Hex } from '@touchstone/protocol/chain'
import type { ChainSettings } from '../../../chain/chain-node.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import { createRelayStore, type Signer } from './store.ts'

/** Loaded on first use, because loading takes half a second. */
export const loadEvm = () => import('../../../chain/evm.ts')

export type OwnSigner = Signer & { key: Hex }

export type SignerDeps = {
  db: Db
  clock: Clock
  secrets: SecretBox
  chainId: number
  settings: Pick<ChainSettings, 'relayerKey'>
}

/** The only signing account: the operator's, or one generated for the development chain. */
export function createSignerService(deps: SignerDeps) {
  let held: Promise<OwnSigner> | undefined
  return async (): Promise<OwnSigner> => {
    held ??= load(deps).catch((err: unknown) => {
      held = undefined
      throw err
    })
    return held
  }
}

async function load(deps: SignerDeps): Promise<OwnSigner> {
  const key = deps.settings.relayerKey ?? (await ownKey(deps))
  const { addressOf } = await loadEvm()
  return { chainId: deps.chainId, relayer: addressOf(key), key }
}

async function ownKey({ db, clock, secrets, chainId }: SignerDeps): Promise<Hex> {
  const store = createRelayStore(db)
  const purpose = `relayer_key ${chainId}`
  let sealed = await store.findKey(chainId)
  if (sealed === undefined) {
    const key = `0x${randomBytes(32).toString('hex')}`
    await store.addKey(chainId, secrets.seal(key, purpose), clock.now())
    sealed = await store.findKey(chainId)
  }
  if (sealed === undefined) throw new Error('the key of the relayer was not stored')
  // The cast is safe, because only this function stores the key.
  return secrets.open(sealed, purpose) as Hex
}
