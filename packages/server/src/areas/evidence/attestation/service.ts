import { randomBytes } from 'node:crypto'
import { bytesToBase64, bytesToHex, hexToBytes } from '@touchstone/protocol/base'
import {
  ed25519Pkcs8,
  ed25519PublicKey,
  ed25519Signer,
  keyId,
  type PublishedKey,
  publishedKey,
} from '@touchstone/protocol/crypto'
import { type CertificateVerification, verifyCertificate } from '@touchstone/protocol/evidence'
import { type Actor, type Audit, SYSTEM_ACTOR } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { transact } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem, type ProblemDetail } from '../../../kernel/problem.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import { signInThread } from '../../../workers/signing-thread.ts'
import {
  type AttestationSigner,
  type CertificateDeps,
  createCertificateService,
} from './certificate-service.ts'
import { type ActiveKey, createAttestationStore } from './store.ts'

const TOPIC = 'attestation_key'
const SEED_BYTES = 32

export type AttestationDeps = Omit<CertificateDeps, 'signer'> & {
  clock: Clock
  audit: Audit
  notices: Notices
  secrets: SecretBox
  /** As configured; without one a seed is generated at first need. */
  seed: Uint8Array | undefined
}

export type AttestationService = ReturnType<typeof createAttestationService>

/**
 * Certificates, and the keys that sign them: one active, shared by all nodes, every one published
 * for ever.
 */
export function createAttestationService(deps: AttestationDeps) {
  const store = createAttestationStore(deps.db)
  let held: Promise<AttestationSigner> | undefined
  const forget = () => {
    held = undefined
  }
  deps.notices.on(TOPIC, forget)
  deps.notices.onReset(forget)

  /** May read the database, so ask before opening a transaction. */
  const signer = (): Promise<AttestationSigner> => {
    if (held !== undefined) return held
    const loading = load(deps)
    held = loading
    loading.catch(() => {
      if (held === loading) forget()
    })
    return loading
  }

  /** Gives the id of the key that is active afterwards. */
  const replace = async (active: string, seed: Uint8Array, actor: Actor): Promise<string> => {
    await activate(deps, { seed, actor, replaces: active })
    forget()
    return (await signer()).keyId
  }

  /** Never empty, as whoever reads it may keep what they read. */
  const publishedKeys = async (): Promise<PublishedKey[]> => {
    await signer()
    return (await store.list()).map(({ publicKeyHex, createdAt, isActive }) =>
      publishedKey(hexToBytes(publicKeyHex), { createdAt: createdAt.toISOString(), isActive }),
    )
  }

  return {
    ...createCertificateService({ ...deps, signer }),
    signer,
    publishedKeys,

    /** Makes the first key, or the configured one active. A wrong SECRET_KEY is noticed here. */
    async prepare(): Promise<void> {
      // The key of before must open first: a node with a wrong SECRET_KEY must replace nothing.
      const active = await signer()
      if (deps.seed === undefined || active.keyId === keyId(ed25519PublicKey(deps.seed))) return
      await replace(active.keyId, deps.seed, SYSTEM_ACTOR)
    },

    /** A new key signs from now on; what older ones signed stays verifiable. */
    async rotate(actor: Actor): Promise<string> {
      if (deps.seed !== undefined) {
        // The next start would put the configured key back, perhaps one that must not return.
        throw new Problem('conflict', 'The key comes from SIGNING_KEY_SEED: change it there.')
      }
      forget()
      return replace((await signer()).keyId, randomBytes(SEED_BYTES), actor)
    },

    /** From the certificate and the published keys alone, so anybody can come to the same answer. */
    async verify(certificate: unknown): Promise<CertificateVerification> {
      const outcome = verifyCertificate(certificate, await publishedKeys())
      if (outcome.wellFormed) return outcome.verification
      throw notACertificate(outcome.problems)
    },
  }
}

async function load(deps: AttestationDeps): Promise<AttestationSigner> {
  const stored = await createAttestationStore(deps.db).findActive()
  const seed = deps.seed ?? randomBytes(SEED_BYTES)
  const change = { seed, actor: SYSTEM_ACTOR, replaces: undefined }
  const active = stored ?? (await activate(deps, change))
  const opened = open(deps.secrets, active)
  const sign = ed25519Signer(opened)
  const key = ed25519Pkcs8(opened)
  return {
    keyId: active.keyId,
    sign: (payload) => bytesToBase64(sign(payload)),
    signAside: (payload) => signInThread(key, payload),
  }
}

type Activation = { seed: Uint8Array; actor: Actor; replaces: string | undefined }

/** Gives the key that is active afterwards: another node may have been faster, one key is enough. */
function activate(deps: AttestationDeps, change: Activation): Promise<ActiveKey> {
  const publicKey = ed25519PublicKey(change.seed)
  const id = keyId(publicKey)
  const seedSealed = deps.secrets.seal(bytesToBase64(change.seed), purposeOf(id))
  const made = { keyId: id, seedSealed }
  return transact(deps.db, async (tx) => {
    const store = createAttestationStore(tx)
    await store.lock()
    const current = await store.findActive()
    if (current !== undefined && current.keyId !== change.replaces) return current
    const now = deps.clock.now()
    await store.retireActive(now)
    await store.insertActive({ ...made, publicKeyHex: bytesToHex(publicKey), createdAt: now })
    await deps.audit.record(tx, {
      orgId: null,
      action: 'attestation_key.activated',
      actor: change.actor,
      target: { type: 'attestation_key', id },
      changes: { active_key_id: { from: current?.keyId ?? null, to: id } },
    })
    await deps.notices.publish(tx, TOPIC, id)
    return made
  })
}

function open(secrets: SecretBox, active: ActiveKey): Uint8Array {
  try {
    return Buffer.from(secrets.open(active.seedSealed, purposeOf(active.keyId)), 'base64')
  } catch (err) {
    throw new Error(
      'The key that signs certificates does not open: SECRET_KEY is not the one it was sealed with.',
      { cause: err },
    )
  }
}

function purposeOf(id: string): string {
  return `attestation_key ${id}`
}

const MESSAGE_LENGTH_MAX = 200

/** Places are told as in the request body, where the certificate is a member. */
function notACertificate(problems: readonly ProblemDetail[]): Problem {
  const details = problems.map((problem) => ({ ...problem, path: `/certificate${problem.path}` }))
  const [first] = details
  const what = first === undefined ? 'certificate' : `${first.path.slice(1)}: ${first.message}`
  return new Problem('invalid_request', what.slice(0, MESSAGE_LENGTH_MAX), { details })
}
