import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { createBatcher } from '../kernel/batcher.ts'
import { libsodium } from './libsodium.ts'

/**
 * Ed25519 signatures on one worker thread. Handing a batch over and being woken by its results costs
 * as much as several signatures, so a caller that asks for a few, one after the other, gets them signed
 * on the calling thread; only busy periods use the worker.
 */
type Request = { key: Uint8Array; message: string | Uint8Array }

/** Small enough that results go out while the rest is still being signed. */
const BATCH_MAX = 16
const BATCH_MS = 2

/** One batch more than the worker is signing, so that it never idles. */
const BATCHES_AHEAD_MAX = 2

/** This many within one batch period, or the period before, are signed on the calling thread. */
const INLINE_MAX = 2

/** After a busy period more requests are expected for this long. */
const BUSY_MS = 20

const SIGNATURE_BYTES = 64

let period = { since: 0, requests: 0, before: 0 }
const openKeys = new WeakMap<Uint8Array, KeyObject>()

/** Batches that the worker has been sent, oldest first: it answers in this order. */
type SentBatch = { resolve(signatures: Uint8Array): void; reject(err: unknown): void }
let worker: { thread: Worker; sent: SentBatch[] } | undefined

const batcher = createBatcher<Request, Buffer>({
  run: signOnWorker,
  itemsMax: BATCH_MAX,
  ageMsMax: BATCH_MS,
  // The worker looks a key up once for a batch.
  groupOf: ({ key }) => key,
  concurrency: BATCHES_AHEAD_MAX,
  waitingMax: Number.POSITIVE_INFINITY,
  failTogether: () => true,
})

/** Signs with a private key in PKCS #8; strings as UTF-8. */
export function signInThread(key: Uint8Array, message: string | Uint8Array): Promise<Buffer> {
  const isBusy = isBusyPeriod(performance.now()) || batcher.pending() > 0
  return isBusy ? batcher.add({ key, message }) : signInline(key, message)
}

function isBusyPeriod(now: number): boolean {
  const passed = now - period.since
  if (passed >= BATCH_MS) {
    period = { since: now, requests: 0, before: passed < BUSY_MS ? period.requests : 0 }
  }
  period.requests += 1
  return Math.max(period.requests, period.before) > INLINE_MAX
}

async function signInline(key: Uint8Array, message: string | Uint8Array): Promise<Buffer> {
  const known = openKeys.get(key)
  const opened = known ?? createPrivateKey({ key: Buffer.from(key), format: 'der', type: 'pkcs8' })
  if (known === undefined) openKeys.set(key, opened)
  return sign(null, Buffer.from(message), opened)
}

async function signOnWorker(batch: readonly Request[]): Promise<Buffer[]> {
  const { buffer } = await new Promise<Uint8Array>((resolve, reject) => {
    worker ??= { thread: startThread(), sent: [] }
    worker.sent.push({ resolve, reject })
    // The thread keeps the process alive only while a signature is outstanding.
    worker.thread.ref()
    const messages = batch.map(({ message }) => message)
    worker.thread.postMessage({ key: batch[0]?.key, messages })
  })
  return batch.map((_, at) => Buffer.from(buffer, at * SIGNATURE_BYTES, SIGNATURE_BYTES))
}

/** Signs with libsodium if it loads, otherwise with OpenSSL; the bytes are the same. */
export function openThread(workerData: { libsodium: string | undefined }): Worker {
  return new Worker(THREAD, { eval: true, workerData })
}

function startThread(): Worker {
  const thread = openThread({ libsodium })
  thread.on('message', (signatures: Uint8Array) => {
    const sent = worker?.sent ?? []
    sent.shift()?.resolve(signatures)
    if (sent.length === 0) thread.unref()
  })
  thread.on('error', (err) => end(thread, err))
  thread.on('exit', () => end(thread, new Error('the signing thread has ended')))
  return thread
}

/** Rejects the outstanding batches; the next batch starts a new thread. */
function end(thread: Worker, err: unknown): void {
  if (worker?.thread !== thread) return
  const { sent } = worker
  worker = undefined
  for (const { reject } of sent) reject(err)
}

/**
 * Source text, so that it runs the same from TypeScript and compiled. It lowers its own priority on
 * Linux, since a woken worker often takes the core of the thread that serves requests. A sandbox may
 * forbid that; the worker signs nevertheless.
 */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads')
const { createPrivateKey, sign } = require('node:crypto')
const { constants, getPriority, platform, setPriority } = require('node:os')
const { PRIORITY_BELOW_NORMAL } = constants.priority
try {
  if (platform() === 'linux' && getPriority() < PRIORITY_BELOW_NORMAL) {
    setPriority(PRIORITY_BELOW_NORMAL)
  }
} catch {}
const sodium = workerData.libsodium && require(workerData.libsodium)
const KEYS_MAX = 32
const PKCS8_BYTES = 48
const SEED_AT = 16
const signers = new Map()
function openSigner(der) {
  if (sodium === undefined || der.length !== PKCS8_BYTES) {
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    return (signature, message) => signature.set(sign(null, message, key))
  }
  const secret = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES)
  const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES)
  sodium.crypto_sign_seed_keypair(publicKey, secret, der.subarray(SEED_AT))
  return (signature, message) => sodium.crypto_sign_detached(signature, message, secret)
}
function signerOf(der) {
  const name = der.toString('base64')
  const known = signers.get(name)
  if (known !== undefined) return known
  if (signers.size >= KEYS_MAX) signers.clear()
  const made = openSigner(der)
  signers.set(name, made)
  return made
}
parentPort.on('message', ({ key, messages }) => {
  const signInto = signerOf(Buffer.from(key))
  const signatures = new Uint8Array(messages.length * ${SIGNATURE_BYTES})
  messages.forEach((message, at) => {
    const place = at * ${SIGNATURE_BYTES}
    signInto(signatures.subarray(place, place + ${SIGNATURE_BYTES}), Buffer.from(message))
  })
  parentPort.postMessage(signatures)
})
`
