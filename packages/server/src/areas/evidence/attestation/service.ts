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
import {
  type Certificate,
  type CertificateVerification,
  verifyCertificate,
} from '@touchstone/protocol/evidence'
import { type Actor, type Audit, SYSTEM_ACTOR } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { transact } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem, type ProblemDetail } from '../../../kernel/problem.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import type { LogQueue, LogRecord } from '../../../log-record.ts'
import { signInThread } from '../../../workers/signing-thread.ts'
import {
  type AttestationSigner,
  type CertificateDeps,
  createCertificateService,
} from './certificate-service.ts'
import { keyRecords } from './key-record-service.ts'
import type { Log } from './ports.ts'
import { type ActiveKey, createAttestationStore } from './store.ts'

const TOPIC = 'attestation_key'
const SEED_BYTES = 32

export type AttestationDeps = Omit<CertificateDeps, 'signer'> & {
  clock: Clock
  audit: Audit
  notices: Notices
  secrets: SecretBox
  logQueue: LogQueue
  log: Log
  /** SIGNING_KEY_SEED. If undefined, a seed is generated on first use. */
  seed: Uint8Array | undefined
}

export type AttestationService = ReturnType<typeof createAttestationService>

/** Certificates and their signing keys. All nodes share one active key; every key stays published. */
export function createAttestationService(deps: AttestationDeps) {
  const store = createAttestationStore(deps.db)
  let cached: Promise<AttestationSigner> | undefined
  const invalidate = () => {
    cached = undefined
  }
  deps.notices.on(TOPIC, invalidate)
  deps.notices.onReset(invalidate)

  /** May read the database, so call it before opening a transaction. */
  const signer = (): Promise<AttestationSigner> => {
    if (cached !== undefined) return cached
    const loading = load(deps)
    cached = loading
    loading.catch(() => {
      if (cached === loading) invalidate()
    })
    return loading
  }

  /** Returns the id of the key that is active afterwards. */
  const replace = async (active: string, seed: Uint8Array, actor: Actor): Promise<string> => {
    await activate(deps, { seed, actor, replaces: active })
    invalidate()
    return (await signer()).keyId
  }

  /** Never empty, because readers may cache the answer. */
  const publishedKeys = async (): Promise<PublishedKey[]> => {
    await signer()
    return (await store.list()).map(({ publicKeyHex, createdAt, retiredAt }) =>
      publishedKey(hexToBytes(publicKeyHex), {
        createdAt: createdAt.toISOString(),
        isActive: retiredAt === null,
      }),
    )
  }

  const certificates = createCertificateService({ ...deps, signer })
  const withLogProof = async (certificate: Certificate): Promise<Certificate> => {
    const log = await deps.log.findProof('checkpoint', certificate.subject.checkpoint_id)
    return log === undefined ? certificate : { ...certificate, log }
  }
  return {
    seal: certificates.seal,
    erase: certificates.erase,
    rebuild: certificates.rebuild,
    storedAt: certificates.storedAt,
    nodesOf: certificates.nodesOf,
    findCertificates: certificates.findCertificates,
    certificateHashes: certificates.certificateHashes,
    withLogProof,

    /** With the proof that the log has the checkpoint, once there is one. */
    async getCertificate(checkpointId: string, orgIds: readonly string[]) {
      const { value, isOwner } = await certificates.getCertificate(checkpointId, orgIds)
      return { value: await withLogProof(value), isOwner }
    },

    getTreeHead: certificates.getTreeHead,
    proveConsistency: certificates.proveConsistency,
    proveInclusion: certificates.proveInclusion,

    signer,
    publishedKeys,

    /** With the key of the log, which signs no certificate and no receipt. */
    allPublishedKeys: async (): Promise<PublishedKey[]> => [
      ...(await publishedKeys()),
      await deps.log.publishedKey(),
    ],

    /** The records of the keys for the witnessed log. */
    keyRecords: async (): Promise<LogRecord[]> => (await store.list()).flatMap(keyRecords),

    /** Creates the first key or activates the configured one. Throws if SECRET_KEY is wrong. */
    async prepare(): Promise<void> {
      // Opens the current key first, so that a node with a wrong SECRET_KEY replaces nothing.
      const active = await signer()
      if (deps.seed === undefined || active.keyId === keyId(ed25519PublicKey(deps.seed))) return
      await replace(active.keyId, deps.seed, SYSTEM_ACTOR)
    },

    /** Activates a new key. Signatures of older keys stay verifiable. */
    async rotate(actor: Actor): Promise<string> {
      if (deps.seed !== undefined) {
        // The next start would activate the configured key again, which may be a compromised one.
        throw new Problem('conflict', 'The key is configured by SIGNING_KEY_SEED; change it there.')
      }
      invalidate()
      return replace((await signer()).keyId, randomBytes(SEED_BYTES), actor)
    },

    /** Uses only the certificate, the published keys and policy, so anyone can reproduce the result. */
    async verify(certificate: unknown): Promise<CertificateVerification> {
      const outcome = verifyCertificate(certificate, await publishedKeys(), await deps.log.trust())
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
    signOnWorker: (payload) => signInThread(key, payload),
  }
}

type Activation = { seed: Uint8Array; actor: Actor; replaces: string | undefined }

/** Returns the key that is active afterwards, which another node may have activated first. */
function activate(deps: AttestationDeps, change: Activation): Promise<ActiveKey> {
  const publicKey = ed25519PublicKey(change.seed)
  const id = keyId(publicKey)
  const seedSealed = deps.secrets.seal(bytesToBase64(change.seed), purposeOf(id))
  const created = { keyId: id, seedSealed }
  return transact(deps.db, async (tx) => {
    const store = createAttestationStore(tx)
    await store.lock()
    const current = await store.findActive()
    if (current !== undefined && current.keyId !== change.replaces) return current
    const now = deps.clock.now()
    await store.retireActive(now)
    await store.insertActive({ ...created, publicKeyHex: bytesToHex(publicKey), createdAt: now })
    const changed = (await store.list()).filter(({ keyId }) => [id, current?.keyId].includes(keyId))
    await deps.logQueue.add(tx, changed.flatMap(keyRecords))
    await deps.audit.record(tx, {
      orgId: null,
      action: 'attestation_key.activated',
      actor: change.actor,
      target: { type: 'attestation_key', id },
      changes: { active_key_id: { from: current?.keyId ?? null, to: id } },
    })
    await deps.notices.publish(tx, TOPIC, id)
    return created
  })
}

function open(secrets: SecretBox, active: ActiveKey): Uint8Array {
  try {
    return Buffer.from(secrets.open(active.seedSealed, purposeOf(active.keyId)), 'base64')
  } catch (err) {
    throw new Error(
      'The key that signs certificates cannot be decrypted: SECRET_KEY differs from the one it was encrypted with.',
      { cause: err },
    )
  }
}

function purposeOf(id: string): string {
  return `attestation_key ${id}`
}

const MESSAGE_LENGTH_MAX = 200

/** Paths are relative to the request body, which has the certificate as a member. */
function notACertificate(problems: readonly ProblemDetail[]): Problem {
  const details = problems.map((problem) => ({ ...problem, path: `/certificate${problem.path}` }))
  const [first] = details
  const what = first === undefined ? 'certificate' : `${first.path.slice(1)}: ${first.message}`
  return new Problem('invalid_request', what.slice(0, MESSAGE_LENGTH_MAX), { details })
}
