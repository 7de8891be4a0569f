import { randomBytes } from 'node:crypto'
import { bytesToBase64, bytesToHex, hexToBytes } from '@touchstone/protocol/base'
import {
  ed25519PublicKey,
  ed25519Signer,
  keyId,
  type PublishedKey,
  publishedKey,
} from '@touchstone/protocol/crypto'
import { checkpointBody, createNoteKey, type NoteKey, signNote } from '@touchstone/protocol/log'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import { keyRecord, type LogQueue, type LogRecord } from '../../../log-record.ts'
import { createIdentityStore, type Identity } from './store.ts'

export type IdentityDeps = {
  db: Db
  clock: Clock
  secrets: SecretBox
  queue: LogQueue
  baseUrl: string
  /** Records of the keys that were there before the log. */
  keyRecords(): Promise<readonly LogRecord[]>
  /** LOG_ORIGIN. */
  origin: string | undefined
}

/** The log as the process knows it: its name, its key and how it signs. */
export type LogSigner = {
  origin: string
  key: NoteKey
  published: PublishedKey
  signCheckpoint(head: { size: number; root: Uint8Array }): string
  /**
   * Signs messages of COSE. They are arrays of CBOR, whose first byte begins no UTF-8 text, so that
   * none can be taken for a checkpoint.
   */
  sign(message: Uint8Array): Uint8Array
}

const SEED_BYTES = 32

/** The log has a key and a name of its own, created at the first start and never changed. */
export function createIdentity(deps: IdentityDeps) {
  let loaded: Promise<LogSigner> | undefined
  const load = async (): Promise<LogSigner> => {
    const identity = (await createIdentityStore(deps.db).find()) ?? (await create(deps))
    if (deps.origin !== undefined && deps.origin !== identity.origin) {
      throw new Error(
        `LOG_ORIGIN is ${deps.origin}, but the log is called ${identity.origin}. Another origin would be a new log to every witness.`,
      )
    }
    return open(deps.secrets, identity)
  }
  return {
    /** May read the database, so call it before opening a transaction. */
    signer(): Promise<LogSigner> {
      const loading = loaded ?? load()
      loaded = loading
      loading.catch(() => {
        loaded = undefined
      })
      return loading
    },

    async fault(): Promise<string | null> {
      return (await createIdentityStore(deps.db).find())?.fault ?? null
    },

    setFault: (fault: string | null): Promise<void> => createIdentityStore(deps.db).setFault(fault),
  }
}

export function originOf(baseUrl: string): string {
  return `${new URL(baseUrl).host}/log`
}

async function create(deps: IdentityDeps): Promise<Identity> {
  const seed = randomBytes(SEED_BYTES)
  const publicKey = ed25519PublicKey(seed)
  const id = keyId(publicKey)
  const createdAt = deps.clock.now()
  const earlier = await deps.keyRecords()
  return transact(deps.db, async (tx) => {
    const store = createIdentityStore(tx)
    await store.insert({
      origin: deps.origin ?? originOf(deps.baseUrl),
      keyId: id,
      publicKeyHex: bytesToHex(publicKey),
      seedSealed: deps.secrets.seal(bytesToBase64(seed), purposeOf(id)),
      createdAt,
    })
    // Another node may have been first.
    const stored = await store.find()
    if (stored === undefined) throw new Error('the identity of the log was not stored')
    if (stored.keyId === id) {
      await deps.queue.add(tx, [...earlier, keyRecord(stored, 'published', stored.createdAt)])
    }
    return stored
  })
}

function open(secrets: SecretBox, identity: Identity): LogSigner {
  const { origin, publicKeyHex, createdAt } = identity
  const publicKey = hexToBytes(publicKeyHex)
  const key = createNoteKey({ name: origin, type: 'ed25519', publicKey })
  const sign = ed25519Signer(openSeed(secrets, identity))
  return {
    origin,
    key,
    published: publishedKey(publicKey, {
      createdAt: createdAt.toISOString(),
      isActive: true,
      use: 'log',
    }),
    signCheckpoint: ({ size, root }) =>
      signNote(checkpointBody({ origin, size, root }), { key, sign }),
    sign,
  }
}

function openSeed(secrets: SecretBox, { keyId, seedSealed }: Identity): Uint8Array {
  try {
    return Buffer.from(secrets.open(seedSealed, purposeOf(keyId)), 'base64')
  } catch (cause) {
    throw new Error(
      'The key of the log cannot be decrypted: SECRET_KEY differs from the one it was encrypted with.',
      { cause },
    )
  }
}

function purposeOf(id: string): string {
  return `log_key ${id}`
}
