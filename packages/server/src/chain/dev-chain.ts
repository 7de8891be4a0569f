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
  /** It runs and will not answer any more: the next `open` starts another. */
  giveUp(): void
  readonly isRunning: boolean
  stop(): Promise<void>
}

export const DEV_CHAIN_ID = 31_337

/** There is no such program for this system. */
export class NoDevChain extends Error {}

/** What is written down of a process, so that it is known again; the start tells it by. */
type Info = { pid: number; startTime: string | undefined; url: string }

type Running = Info & { instance: string; child: ChildProcess | undefined }

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

  /** What a process before this one left running or, killed, behind. */
  const look = async (): Promise<{ info: Info | undefined; left: Running | undefined }> => {
    const info = parseInfo(await readFile(infoFile(dir), 'utf8').catch(() => ''))
    const left = info && (await findRunning(info))
    if (info !== undefined || !stopped) lock ??= await lockDataDir(dir).catch(() => undefined)
    return { info, left }
  }

  const start = async (): Promise<Running> => {
    if (stopped) throw new Error('the service is stopping')
    if (program === null) {
      throw new NoDevChain(
        'There is no development chain for this system: install anvil (Foundry), or set CHAIN_RPC_URL.',
      )
    }
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const { info, left } = await look()
    if (left !== undefined) {
      log(`the development chain runs already, as process ${left.pid}`)
      return left
    }
    if (lock === undefined) throw new Error('another process is about to start the chain')
    // It does not answer, and would write over the state of the next one.
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
      // One that a killed service left would run for ever where the next ones have no use for it.
      const found = running === undefined ? await look() : undefined
      // Whoever does not hold the lock only uses a chain that another process looks after.
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
  failed.catch(() => undefined)
  try {
    const { pid } = child
    if (pid === undefined) return await failed
    const info: Info = { pid, startTime: findProcess(pid)?.startTime, url }
    // Before it answers: whoever comes after a kill must know of it.
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
    // The lowest fee from the beginning: what was signed stays good on a chain begun anew.
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

/** One that a killed service left behind, or that another process of this machine looks after. */
async function findRunning(info: KnownInfo): Promise<Running | undefined> {
  if (findProcess(info.pid) === undefined) return undefined
  // A port may have been given to somebody else since; only this chain has this name.
  const instance = await instanceAt(info.url)
  if (instance === undefined) return undefined
  const isIt = info.instance === undefined ? isSame(info) : info.instance === instance
  return isIt ? { ...info, instance, child: undefined } : undefined
}

/** The name is not there when the service was killed before the first answer. */
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

/** Surely: a pid alone may be somebody else's by now. */
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
