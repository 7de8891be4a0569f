import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, SignJWT } from 'jose'
import type { Actor, Audit } from '../../../audit.ts'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS, later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import { createKeyStore, type PublicKey, type StoredKey } from './key-store.ts'

/** 04 §2.4: our access tokens live 15 minutes. */
export const ACCESS_SECONDS = 15 * 60
const AUDIENCE = 'touchstone'
/** A node may go on signing with a key this long after another one retired it. */
const CURRENT_MS = MINUTE_MS
/** Longer than the last token of a retired key can live, the delay above and skew included. */
const RETIRED_MS = HOUR_MS
const KEYS_MAX = 100

type SigningKey = { kid: string; privateKey: KeyObject }

export type KeyDeps = {
  db: Db
  clock: Clock
  audit: Audit
  secrets: SecretBox
  baseUrl: string
}

export type KeyService = ReturnType<typeof createKeyService>

/** Our own signing keys: made on first need, shared by all nodes, private halves sealed. */
export function createKeyService(deps: KeyDeps) {
  const { clock, secrets } = deps
  const store = createKeyStore(deps.db)
  const currents = createCache<SigningKey>({ clock, entriesMax: 1, ttlMs: CURRENT_MS })
  const publics = createCache<PublicKey>({ clock, entriesMax: KEYS_MAX, ttlMs: CURRENT_MS })
  const retiredAfter = () => later(clock.now(), -RETIRED_MS)

  const current = async (): Promise<SigningKey> => {
    const kept = currents.get('current')
    if (kept !== undefined) return kept
    const stored = (await store.findCurrent()) ?? (await makeFirst(deps))
    const key = { kid: stored.publicKey.kid, privateKey: open(secrets, stored) }
    currents.set('current', key)
    return key
  }

  return {
    /** Makes the first key if there is none, so that the first sign-in need not. */
    async prepareKeys(): Promise<void> {
      await current()
    },

    async accessToken(user: { userId: string; emailVerified: boolean }): Promise<string> {
      const key = await current()
      const issuedAt = Math.floor(clock.nowMs() / 1000)
      return new SignJWT({ email_verified: user.emailVerified })
        .setProtectedHeader({ alg: 'EdDSA', kid: key.kid, typ: 'JWT' })
        .setIssuer(deps.baseUrl)
        .setAudience(AUDIENCE)
        .setSubject(user.userId)
        .setJti(randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_SECONDS)
        .sign(key.privateKey)
    },

    /** Never empty: whoever reads it before the first sign-in may keep what they read. */
    async publicKeys(): Promise<PublicKey[]> {
      await current()
      return store.listPublic(retiredAfter())
    },

    async findPublicKey(kid: string): Promise<PublicKey | undefined> {
      const kept = publics.get(kid)
      if (kept !== undefined) return kept
      const found = await store.findPublic(kid, retiredAfter())
      if (found !== undefined) publics.set(kid, found)
      return found
    },

    /** A new key signs from now on; the old one stays published until its tokens are over. */
    async rotate(actor: Actor): Promise<string> {
      const next = await makeKey(secrets)
      await transact(deps.db, async (tx) => {
        const keys = createKeyStore(tx)
        await keys.retireCurrent(clock.now())
        // Another node may rotate at this moment: one new key is enough for both.
        if (await keys.insertCurrent(next, clock.now())) {
          await record(deps, tx, 'signing_key.rotated', { actor, kid: next.publicKey.kid })
        }
      })
      currents.clear()
      return (await current()).kid
    },

    purgeKeys: (): Promise<number> => store.deleteRetiredBefore(retiredAfter()),
  }
}

async function makeFirst(deps: KeyDeps): Promise<StoredKey> {
  const made = await makeKey(deps.secrets)
  await transact(deps.db, (tx) => createKeyStore(tx).insertCurrent(made, deps.clock.now()))
  const current = await createKeyStore(deps.db).findCurrent()
  if (current === undefined) throw new Error('the signing key just written is not there')
  return current
}

async function makeKey(secrets: SecretBox): Promise<StoredKey> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { x } = publicKey.export({ format: 'jwk' })
  if (x === undefined) throw new Error('an Ed25519 key without its public part')
  const kid = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  return {
    publicKey: { kid, kty: 'OKP', crv: 'Ed25519', x, alg: 'EdDSA', use: 'sig' },
    privateSealed: secrets.seal(pem, purposeOf(kid)),
  }
}

function open(secrets: SecretBox, stored: StoredKey): KeyObject {
  try {
    return createPrivateKey(secrets.open(stored.privateSealed, purposeOf(stored.publicKey.kid)))
  } catch (err) {
    throw new Error(
      'The signing key does not open: SECRET_KEY is not the one it was sealed with.',
      {
        cause: err,
      },
    )
  }
}

function purposeOf(kid: string): string {
  return `signing_key ${kid}`
}

function record(
  deps: KeyDeps,
  tx: Db,
  action: string,
  change: { actor: Actor; kid: string },
): Promise<void> {
  const target = { type: 'signing_key', id: change.kid }
  return deps.audit.record(tx, { orgId: null, action, actor: change.actor, target })
}
