import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeFileDurably } from '../durable-files.ts'
import { type DataLock, lockDataDir } from '../postgres/data-lock.ts'
import { findProcess, signalProcess } from '../postgres/processes.ts'
import { describeMissingAnvil, findAnvil } from './anvil-binary.ts'
import { createJsonRpc } from './json-rpc.ts'

/**
 * The development chain: a child process on a loopback port, started on first use. It writes its
 * state to a file periodically and when stopped; the relayer resends transactions lost by a kill
 * -9.
 */
export type DevChain = {
  /** Starts it if it is not running. */
  open(): Promise<{
    url: string
    /** A random name that the chain generates at each start. */
    instance: string
  }>
  /** A call got no answer: the next `open` checks whether the chain is alive. */
  doubt(): void
  /** The chain hangs: the next `open` replaces it. */
  giveUp(): void
  readonly isRunning: boolean
  stop(): Promise<void>
}

export const DEV_CHAIN_ID = 31_337

/** The program is not available for this system. */
export class NoDevChain extends Error {}

/** Recorded to recognise a process later; the start time guards against a reused pid. */
type Info = { pid: number; startTime: string | undefined; url: string }

type Running = Info & { instance: string; child: ChildProcess | undefined }

const STATE_INTERVAL_S = 30
const START_MS_MAX = 20_000
const STOP_MS_MAX = 20_000
const START_TRIES = 3

export function createDevChain(options: {
  dir: string
  log(message: string): void
  /** The program; null if there is none. Default: that of this platform. */
  program?: string | null
}): DevChain {
  const { dir, log, program = findAnvil() ?? null } = options
  let running: Running | undefined
  let starting: Promise<Running> | undefined
  let lock: DataLock | undefined
  let stopped = false

  /** Finds a chain that a previous process left running, or the record of a dead one. */
  const look = async (): Promise<{ info: Info | undefined; left: Running | undefined }> => {
    const info = parseInfo(await readFile(infoFile(dir), 'utf8').catch(() => ''))
    const left = info && (await findRunning(info))
    if (info !== undefined || !stopped) lock ??= await lockDataDir(dir).catch(() => undefined)
    return { info, left }
  }

  const start = async (): Promise<Running> => {
    if (stopped) throw new Error('the service is stopping')
    if (program === null) throw new NoDevChain(describeMissingAnvil())
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const { info, left } = await look()
    if (left !== undefined) {
      log(`the development chain runs already, as process ${left.pid}`)
      return left
    }
    if (lock === undefined) throw new Error('another process is about to start the chain')
    // It does not answer, and would overwrite the state of its replacement.
    if (info !== undefined) await kill(info)
    return launch({ dir, program, log })
  }

  const ensure = async (): Promise<Running> => {
    if (running !== undefined && isAlive(running)) return running
    starting ??= start().finally(() => {
      starting = undefined
    })
    running = await starting
    return running
  }

  return {
    open: ensure,
    doubt() {
      if (running !== undefined && !isAlive(running)) running = undefined
    },
    giveUp() {
      if (running === undefined || lock === undefined) return
      log(`the development chain, process ${running.pid}, does not answer and is ended`)
      signalProcess(running.pid, 'SIGKILL')
      running = undefined
    },
    get isRunning() {
      return running !== undefined && isAlive(running)
    },
    async stop() {
      stopped = true
      await starting?.catch(() => undefined)
      // A chain left by a killed service would otherwise run for ever if no later service uses
      // it.
      const found = running === undefined ? await look() : undefined
      // Without the lock, this process only uses a chain that another one manages.
      if (lock === undefined) return
      const own = running ?? found?.left
      if (own !== undefined) await end(own)
      else if (found?.info !== undefined) await kill(found.info)
      lock.release()
      lock = undefined
    },
  }
}

const infoFile = (dir: string) => join(dir, 'anvil.json')
const stateFile = (dir: string) => join(dir, 'state.json')

async function launch(site: {
  dir: string
  program: string
  log(message: string): void
}): Promise<Running> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const made = await spawnChain(site.program, site.dir)
      site.log(`the development chain runs as process ${made.pid}`)
      return made
    } catch (err) {
      if (attempt >= START_TRIES) throw err
      site.log(`the development chain did not start: ${String(err)}`)
      // A kill during a write leaves an unreadable state file. The relayer can resend everything.
      if (attempt > 1) await setAside(site)
    }
  }
}

async function setAside({ dir, log }: { dir: string; log(message: string): void }) {
  const moved = await rename(stateFile(dir), `${stateFile(dir)}.unreadable`).then(
    () => true,
    () => false,
  )
  if (moved) log('the state of the development chain is unreadable and was set aside')
}

async function spawnChain(program: string, dir: string): Promise<Running> {
  const port = await freePort()
  const child = spawn(program, argumentsOf(port, dir), {
    stdio: 'ignore',
    cwd: dir,
    // A separate session: Ctrl-C must reach only the service, which then stops the chain.
    detached: true,
    windowsHide: true,
    env: { PATH: '/usr/bin:/bin', HOME: dir },
  })
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`it ended at once with code ${String(code)}`)))
  })
  const url = `http://127.0.0.1:${port}`
  failed.catch(() => undefined)
  try {
    const { pid } = child
    if (pid === undefined) return await failed
    const info: Info = { pid, startTime: findProcess(pid)?.startTime, url }
    // Written before the first answer, so that the next service finds the chain even after a
    // kill.
    await writeFileDurably(infoFile(dir), `${JSON.stringify(info)}\n`)
    const instance = await Promise.race([firstAnswer(url), failed])
    await writeFileDurably(infoFile(dir), `${JSON.stringify({ ...info, instance })}\n`)
    child.unref()
    return { ...info, instance, child }
  } catch (err) {
    child.kill('SIGKILL')
    throw err
  }
}

function argumentsOf(port: number, dir: string): string[] {
  return [
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--chain-id',
    String(DEV_CHAIN_ID),
    '--state',
    stateFile(dir),
    '--state-interval',
    String(STATE_INTERVAL_S),
    // The lowest base fee from the start: signed transactions stay valid on a restarted chain.
    '--base-fee',
    '1',
    '--gas-limit',
    '30000000',
    '--enable-tx-gas-limit',
    '--accounts',
    '0',
    '--no-cors',
    '--quiet',
  ]
}

async function firstAnswer(url: string): Promise<string> {
  const deadline = performance.now() + START_MS_MAX
  for (;;) {
    const instance = await instanceAt(url)
    if (instance !== undefined) return instance
    if (performance.now() > deadline) throw new Error('it does not answer')
    await sleep(20)
  }
}

async function instanceAt(url: string): Promise<string | undefined> {
  try {
    const facts = await createJsonRpc(url, 2000)('anvil_metadata')
    if (typeof facts !== 'object' || facts === null || !('instanceId' in facts)) return undefined
    return String(facts.instanceId)
  } catch {
    return undefined
  }
}

/** A chain left by a killed service, or managed by another process on this machine. */
async function findRunning(info: KnownInfo): Promise<Running | undefined> {
  if (findProcess(info.pid) === undefined) return undefined
  // The port may belong to another process now; only this chain has this name.
  const instance = await instanceAt(info.url)
  if (instance === undefined) return undefined
  const isIt = info.instance === undefined ? isSame(info) : info.instance === instance
  return isIt ? { ...info, instance, child: undefined } : undefined
}

/** The name is missing if the service was killed before the first answer. */
type KnownInfo = Info & { instance: string | undefined }

function parseInfo(text: string): KnownInfo | undefined {
  try {
    const { pid, startTime, url, instance } = JSON.parse(text)
    if (typeof pid !== 'number') return undefined
    return { pid, startTime: asText(startTime), url: String(url), instance: asText(instance) }
  } catch {
    return undefined
  }
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Compares the start time, because a pid can be reused. */
function isSame({ pid, startTime }: Info): boolean {
  return startTime !== undefined && findProcess(pid)?.startTime === startTime
}

function isAlive({ child, ...info }: Running): boolean {
  if (child !== undefined) return child.exitCode === null && child.signalCode === null
  return info.startTime === undefined ? findProcess(info.pid) !== undefined : isSame(info)
}

async function kill(info: Info): Promise<void> {
  while (isSame(info)) {
    signalProcess(info.pid, 'SIGKILL')
    await sleep(10)
  }
}

/** The chain writes its state before it exits. */
async function end(running: Running): Promise<void> {
  const deadline = performance.now() + STOP_MS_MAX
  if (!isAlive(running)) return
  signalProcess(running.pid, 'SIGTERM')
  while (isAlive(running)) {
    if (performance.now() > deadline) signalProcess(running.pid, 'SIGKILL')
    await sleep(10)
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}
