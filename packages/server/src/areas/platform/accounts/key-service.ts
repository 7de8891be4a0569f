import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, SignJWT } from 'jose'
import type { Actor, Audit } from '../../../audit.ts'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS, later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import { createKeyStore, type PublicKey, type StoredKey } from './key-store.ts'

/** Access tokens expire after 15 minutes (spec: platform §2.4). */
export const ACCESS_SECONDS = 15 * 60
const AUDIENCE = 'touchstone'
/**
 * A node caches keys this long, so it can sign with a key for this long after another node retired
 * it.
 */
const CACHE_TTL_MS = MINUTE_MS
/**
 * A retired key stays published for longer than its last token, cache delay and clock skew
 * included.
 */
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

/**
 * The service's own signing keys: created on first use, shared by all nodes, private keys
 * encrypted.
 */
export function createKeyService(deps: KeyDeps) {
  const { clock, secrets } = deps
  const store = createKeyStore(deps.db)
  const currents = createCache<SigningKey>({ clock, entriesMax: 1, ttlMs: CACHE_TTL_MS })
  const publics = createCache<PublicKey>({ clock, entriesMax: KEYS_MAX, ttlMs: CACHE_TTL_MS })
  const retiredAfter = () => later(clock.now(), -RETIRED_MS)

  const current = async (): Promise<SigningKey> => {
    const cached = currents.get('current')
    if (cached !== undefined) return cached
    const stored = (await store.findCurrent()) ?? (await createFirst(deps))
    const key = { kid: stored.publicKey.kid, privateKey: open(secrets, stored) }
    currents.set('current', key)
    return key
  }

  return {
    /** Creates the first key if there is none, so that the first sign-in does not have to. */
    async prepareKeys(): Promise<void> {
      await current()
    },

    async accessToken(user: {
      userId: string
      emailVerified: boolean
      sessionId: string
    }): Promise<string> {
      const key = await current()
      const issuedAt = Math.floor(clock.nowMs() / 1000)
      return new SignJWT({ email_verified: user.emailVerified, sid: user.sessionId })
        .setProtectedHeader({ alg: 'EdDSA', kid: key.kid, typ: 'JWT' })
        .setIssuer(deps.baseUrl)
        .setAudience(AUDIENCE)
        .setSubject(user.userId)
        .setJti(randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_SECONDS)
        .sign(key.privateKey)
    },

    /** Never empty, because a client may cache the set it reads before the first sign-in. */
    async publicKeys(): Promise<PublicKey[]> {
      await current()
      return store.listPublic(retiredAfter())
    },

    async findPublicKey(kid: string): Promise<PublicKey | undefined> {
      const cached = publics.get(kid)
      if (cached !== undefined) return cached
      const found = await store.findPublic(kid, retiredAfter())
      if (found !== undefined) publics.set(kid, found)
      return found
    },

    /**
     * Signs with a new key from now on; the old one stays published until its tokens have expired.
     */
    async rotate(actor: Actor): Promise<string> {
      const next = await createKey(secrets)
      await transact(deps.db, async (tx) => {
        const keys = createKeyStore(tx)
        await keys.retireCurrent(clock.now())
        // If another node rotates at the same time, the loser of the race uses the winner's key.
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

async function createFirst(deps: KeyDeps): Promise<StoredKey> {
  const key = await createKey(deps.secrets)
  await transact(deps.db, (tx) => createKeyStore(tx).insertCurrent(key, deps.clock.now()))
  const current = await createKeyStore(deps.db).findCurrent()
  if (current === undefined) throw new Error('the signing key just inserted was not found')
  return current
}

async function createKey(secrets: SecretBox): Promise<StoredKey> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { x } = publicKey.export({ format: 'jwk' })
  if (x === undefined) throw new Error('the generated Ed25519 key has no public part')
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
      'The signing key cannot be decrypted: SECRET_KEY differs from the one it was encrypted with.',
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
