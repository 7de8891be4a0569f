import { Worker } from 'node:worker_threads'

/**
 * One thread of the process signs, for all who sign aside. What comes while it is busy goes over
 * together: to wake a thread and be woken by it costs as much as several signatures.
 */
type Waiting = {
  key: Uint8Array
  message: string | Uint8Array
  resolve(signature: Uint8Array): void
  reject(err: unknown): void
}

/** So that one who signs thousands at once holds nobody up for long. */
const HANDED_OVER_MAX = 8

const SIGNATURE_BYTES = 64

let waiting: Waiting[] = []
let busy: { thread: Worker; with: readonly Waiting[] } | undefined
let idle: Worker | undefined
let isDue = false

/** With a private key in PKCS #8; strings as UTF-8. */
export function signInThread(key: Uint8Array, message: string | Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    waiting.push({ key, message, resolve, reject })
    if (busy !== undefined || isDue) return
    isDue = true
    // All that this turn of the loop wants signed goes in one.
    setImmediate(handOver)
  })
}

function handOver(): void {
  isDue = false
  if (busy !== undefined || waiting.length === 0) return
  const group = waiting.slice(0, HANDED_OVER_MAX)
  waiting = waiting.slice(HANDED_OVER_MAX)
  const thread = idle ?? startThread()
  idle = undefined
  busy = { thread, with: group }
  // It keeps the process alive only while somebody waits for it.
  thread.ref()
  thread.postMessage(group.map(({ key, message }) => [key, message]))
}

function startThread(): Worker {
  const thread = new Worker(THREAD, { eval: true })
  thread.on('message', (signatures: Uint8Array) => {
    const group = busy?.with ?? []
    busy = undefined
    idle = thread
    thread.unref()
    handOver()
    group.forEach(({ resolve }, at) => {
      resolve(signatures.slice(at * SIGNATURE_BYTES, (at + 1) * SIGNATURE_BYTES))
    })
  })
  // The next to sign gets a new one.
  thread.on('error', (err) => end(thread, err))
  thread.on('exit', () => end(thread, new Error('the thread that signs has ended')))
  return thread
}

function end(thread: Worker, err: unknown): void {
  if (idle === thread) idle = undefined
  if (busy?.thread !== thread) return
  const lost = busy.with
  busy = undefined
  handOver()
  for (const { reject } of lost) reject(err)
}

/** As text, so that it runs alike from sources and compiled. */
const THREAD = `
const { parentPort } = require('node:worker_threads')
const { createPrivateKey, sign } = require('node:crypto')
const KEYS_MAX = 32
const keys = new Map()
function open(der) {
  const name = Buffer.from(der).toString('base64')
  const known = keys.get(name)
  if (known !== undefined) return known
  if (keys.size >= KEYS_MAX) keys.clear()
  const key = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' })
  keys.set(name, key)
  return key
}
parentPort.on('message', (group) => {
  const signatures = new Uint8Array(group.length * ${SIGNATURE_BYTES})
  group.forEach(([der, message], at) => {
    signatures.set(sign(null, Buffer.from(message), open(der)), at * ${SIGNATURE_BYTES})
  })
  parentPort.postMessage(signatures)
})
`
