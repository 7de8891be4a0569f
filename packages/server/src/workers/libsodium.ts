import { createRequire } from 'node:module'

/** The functions of `sodium-native` that are used. */
type Sodium = {
  crypto_sign_verify_detached(
    signature: Uint8Array,
    message: Uint8Array,
    publicKey: Uint8Array,
  ): boolean
}

const found = load()

/** Where it is; undefined if it does not load. */
export const libsodium = found?.path

/** An optional dependency that needs half the time of OpenSSL (ADR 0027, ADR 0070). */
export const sodium = found?.sodium

function load(): { path: string; sodium: Sodium } | undefined {
  const require = createRequire(import.meta.url)
  try {
    return { sodium: require('sodium-native'), path: require.resolve('sodium-native') }
  } catch {
    return undefined
  }
}
