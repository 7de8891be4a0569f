import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DataLock, lockDataDir } from '../postgres/data-lock.ts'
import { writeFileDurably } from '../postgres/durable-files.ts'
import { findProcess, signalProcess } from '../postgres/processes.ts'
import { findAnvil } from './anvil-binary.ts'
import { createJsonRpc } from './json-rpc.ts'

/**
 * The development chain: a child process on a loopback port, started when it is first needed. Its
 * state is a file that it writes now and then and when it is stopped; what a kill -9 loses the
 * relayer sends again.
 */
export type DevChain = {
  /** Starts it when it does not run. */
  open(): Promise<{
    url: string
    /** A random name that it gives itself at each start. */
    instance: string
  }>
  /** Somebody found it not answering: the next `open` looks for itself. */
  doubt(): void
  readonly isRunning: boolean
  stop(): Promise<void>
}

export const DEV_CHAIN_ID = 31_337

/** There is no such program for this system. */
export class NoDevChain extends Error {}

type Running = { pid: number; url: string; instance: string; child: ChildProcess | undefined }

const STATE_INTERVAL_S = 30
const START_MS_MAX = 20_000
const STOP_MS_MAX = 20_000
const START_TRIES = 3

export function createDevChain(options: {
  dir: string
  log(message: string): void
  /** The program; null where there is none. By default that of this platform. */
  program?: string | null
}): DevChain {
  const { dir, log, program = findAnvil() ?? null } = options
  let running: Running | undefined
  let starting: Promise<Running> | undefined
  let lock: DataLock | undefined
  let stopped = false

  const start = async (): Promise<Running> => {
    if (stopped) throw new Error('the service is stopping')
    if (program === null) {
      throw new NoDevChain('There is no development chain for this system: set CHAIN_RPC_URL.')
    }
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const left = await findRunning(dir)
    lock ??= await lockDataDir(dir).catch(() => undefined)
    if (left !== undefined) {
      log(`the development chain runs already, as process ${left.pid}`)
      return left
    }
    if (lock === undefined) throw new Error('another process is about to start the chain')
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
    get isRunning() {
      return running !== undefined && isAlive(running)
    },
    async stop() {
      stopped = true
      await starting?.catch(() => undefined)
      // Whoever does not hold the lock only uses a chain that another process looks after.
      if (lock === undefined) return
      if (running !== undefined) await end(running)
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
      const { pid, url, instance } = made
      await writeFileDurably(infoFile(site.dir), `${JSON.stringify({ pid, url, instance })}\n`)
      site.log(`the development chain runs as process ${pid}`)
      return made
    } catch (err) {
      if (attempt >= START_TRIES) throw err
      site.log(`the development chain did not start: ${String(err)}`)
      // Killed while it wrote, it leaves a file that it cannot read. The relayer has all of it.
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
    // A session of its own: Ctrl-C must reach the service, which then stops the chain in order.
    detached: true,
    windowsHide: true,
    env: { PATH: '/usr/bin:/bin', HOME: dir },
  })
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`it ended at once with code ${String(code)}`)))
  })
  const url = `http://127.0.0.1:${port}`
  try {
    const instance = await Promise.race([firstAnswer(url), failed])
    failed.catch(() => undefined)
    if (child.pid === undefined) throw new Error('it has no process id')
    child.unref()
    return { pid: child.pid, url, instance, child }
  } catch (err) {
    child.kill('SIGKILL')
    throw err
  }
}

function argumentsOf(port: number, dir: string): string[] {
  return [
    ...['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(DEV_CHAIN_ID)],
    ...['--state', stateFile(dir), '--state-interval', String(STATE_INTERVAL_S)],
    // The lowest fee from the beginning: what was signed stays good on a chain begun anew.
    ...['--base-fee', '1', '--gas-limit', '30000000', '--enable-tx-gas-limit'],
    ...['--accounts', '0', '--no-cors', '--quiet'],
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

/** One that a killed service left behind, or that another process of this machine looks after. */
async function findRunning(dir: string): Promise<Running | undefined> {
  const info = parseInfo(await readFile(infoFile(dir), 'utf8').catch(() => ''))
  if (info === undefined || findProcess(info.pid) === undefined) return undefined
  // A port may have been given to somebody else since; only this chain has this name.
  return (await instanceAt(info.url)) === info.instance ? { ...info, child: undefined } : undefined
}

function parseInfo(text: string): Omit<Running, 'child'> | undefined {
  try {
    const { pid, url, instance } = JSON.parse(text)
    return typeof pid === 'number'
      ? { pid, url: String(url), instance: String(instance) }
      : undefined
  } catch {
    return undefined
  }
}

function isAlive({ pid, child }: Running): boolean {
  if (child !== undefined) return child.exitCode === null && child.signalCode === null
  return findProcess(pid) !== undefined
}

/** It writes its state and goes. */
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
