import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

/**
 * One thread of the process signs, for all who sign aside. What comes while it is busy goes over
 * together: to wake a thread and be woken by it costs as much as several signatures. The first few
 * of a moment are therefore signed here: whoever asks one after the other never waits for others.
 */
type Waiting = {
  key: Uint8Array
  message: string | Uint8Array
  resolve(signature: Buffer): void
  reject(err: unknown): void
}

/** So that what is signed goes out while the rest still is, and nobody waits for thousands. */
const GROUP_MAX = 16

/** One more than it works on, so that it never has to wait for us. */
const GROUPS_AHEAD_MAX = 2

/** So many go over at once; fewer wait this long for others. */
const ENOUGH = 16
const GATHER_MS = 2

/** So many in that time and the one before are signed here. */
const HERE_MAX = 2

/** After a busy time more is expected, though nothing came for a while. */
const BUSY_MS = 20

const SIGNATURE_BYTES = 64

/** Signs in half the time of OpenSSL, the same bytes (ADR 0027). Undefined where it does not load. */
export const libsodium = findLibsodium()

function findLibsodium(): string | undefined {
  const require = createRequire(import.meta.url)
  try {
    require('sodium-native')
    return require.resolve('sodium-native')
  } catch {
    return undefined
  }
}

const waiting: Waiting[] = []
let running: { thread: Worker; groups: (readonly Waiting[])[] } | undefined
let timer: NodeJS.Timeout | undefined
let moment = { since: 0, asked: 0, before: 0 }
const openKeys = new WeakMap<Uint8Array, KeyObject>()

/** With a private key in PKCS #8; strings as UTF-8. */
export function signInThread(key: Uint8Array, message: string | Uint8Array): Promise<Buffer> {
  const isBusy = areMany(performance.now()) || timer !== undefined || running?.groups.length
  return isBusy ? signAside(key, message) : signHere(key, message)
}

/** Whether so much is asked for that it had better be signed elsewhere. */
function areMany(now: number): boolean {
  const passed = now - moment.since
  if (passed >= GATHER_MS) {
    moment = { since: now, asked: 0, before: passed < BUSY_MS ? moment.asked : 0 }
  }
  moment.asked += 1
  return Math.max(moment.asked, moment.before) > HERE_MAX
}

async function signHere(key: Uint8Array, message: string | Uint8Array): Promise<Buffer> {
  const known = openKeys.get(key)
  const opened = known ?? createPrivateKey({ key: Buffer.from(key), format: 'der', type: 'pkcs8' })
  if (known === undefined) openKeys.set(key, opened)
  return sign(null, Buffer.from(message), opened)
}

function signAside(key: Uint8Array, message: string | Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    waiting.push({ key, message, resolve, reject })
    // A busy moment wants many signed, and the thread can be at the first ones while it lasts.
    if (waiting.length >= ENOUGH) handOver()
    else timer ??= setTimeout(handOver, GATHER_MS)
  })
}

function handOver(): void {
  clearTimeout(timer)
  timer = undefined
  while (waiting.length > 0) {
    running ??= { thread: startThread(), groups: [] }
    const { thread, groups } = running
    if (groups.length >= GROUPS_AHEAD_MAX) return
    const group = takeGroup()
    groups.push(group)
    // It keeps the process alive only while somebody waits for it.
    thread.ref()
    thread.postMessage({ key: group[0]?.key, messages: group.map(({ message }) => message) })
  }
}

/** Of one key, which is then copied and looked up once for all of them. */
function takeGroup(): readonly Waiting[] {
  const first = waiting.slice(0, GROUP_MAX)
  const other = first.findIndex((one) => one.key !== first[0]?.key)
  return waiting.splice(0, other < 0 ? first.length : other)
}

/** By libsodium where it is found, else by OpenSSL. */
export function openThread(workerData: { libsodium: string | undefined }): Worker {
  return new Worker(THREAD, { eval: true, workerData })
}

function startThread(): Worker {
  const thread = openThread({ libsodium })
  thread.on('message', ({ buffer }: Uint8Array) => {
    const groups = running?.groups ?? []
    const group = groups.shift() ?? []
    if (timer === undefined || waiting.length >= ENOUGH) handOver()
    if (groups.length === 0) thread.unref()
    group.forEach(({ resolve }, at) => {
      resolve(Buffer.from(buffer, at * SIGNATURE_BYTES, SIGNATURE_BYTES))
    })
  })
  thread.on('error', (err) => end(thread, err))
  thread.on('exit', () => end(thread, new Error('the thread that signs has ended')))
  return thread
}

/** The next to sign gets a new one. */
function end(thread: Worker, err: unknown): void {
  if (running?.thread !== thread) return
  const lost = running.groups.flat()
  running = undefined
  handOver()
  for (const { reject } of lost) reject(err)
}

/**
 * As text, so that it runs alike from sources and compiled. It gives way to the thread that all
 * requests go through: woken, it would else often take the core of whoever woke it. A sandbox may
 * forbid that, and it signs all the same.
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
