import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { atEnd } from './at-end.ts'
import { installInto } from './installation.ts'
import { freePort } from './port.ts'

const BIN = fileURLToPath(new URL('../../packages/server/bin/touchstone.mjs', import.meta.url))
/** The command line, which has the service's own commands too. */
export const CLI_BIN = fileURLToPath(
  new URL('../../packages/cli/bin/touchstone.mjs', import.meta.url),
)
const READY_MS_MAX = 60_000

export type Service = {
  url: string
  child: ChildProcess
  output(): string
  /** Sends the signal and resolves with the exit code (null after SIGKILL). */
  end(signal?: NodeJS.Signals): Promise<number | null>
  call(method: string, path: string, call?: { token?: string; body?: unknown }): Promise<Answer>
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read freely in tests
export type Answer = { status: number; body: any }

/** Runs a command of the built program to its end. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string>,
  bin = BIN,
): Promise<{ code: number | null; output: string }> {
  const child = launch(bin, args, env)
  const output = collect(child)
  const [code] = await once(child, 'close')
  return { code, output: output() }
}

/**
 * Starts the built program as a process of its own and waits until it says that it is ready. An empty
 * data folder gets a migrated database first.
 */
export async function startService(
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<Service> {
  await install(env)
  return startServing(env, ['--empty', ...args])
}

async function install({ DATA_DIR, DATABASE_URL }: Record<string, string>): Promise<void> {
  if (DATA_DIR !== undefined && DATABASE_URL === undefined) await installInto(DATA_DIR)
}

/** As `npm start` does it: an empty data folder becomes a new installation, with demo data. */
export function startServing(
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<Service> {
  return begin(env, args, (end) => onTestFinished(async () => void (await end('SIGKILL'))))
}

/** As users of the command line do it. */
export async function startByCommandLine(env: Record<string, string>): Promise<Service> {
  await install(env)
  const whenDone = (end: Service['end']) => onTestFinished(async () => void (await end('SIGKILL')))
  return begin(env, ['--empty'], whenDone, CLI_BIN)
}

/** Without demo data, for all tests of a file: it ends after the last one. */
export async function startSharedService(
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<Service> {
  await install(env)
  return begin(env, ['--empty', ...args], (end) => atEnd(async () => void (await end())))
}

async function begin(
  env: Record<string, string>,
  args: readonly string[],
  whenDone: (end: Service['end']) => void,
  bin = BIN,
): Promise<Service> {
  const port = await freePort()
  const child = launch(bin, ['serve', ...args], { PORT: String(port), METRICS_ADDR: 'off', ...env })
  const output = collect(child)
  const end = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    child.kill(signal)
    const [code] = await once(child, 'close')
    return code
  }
  whenDone(end)
  await ready(child, output)
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    child,
    output,
    end,
    call: (method, path, call) => request(url + path, method, call),
  }
}

function launch(bin: string, args: readonly string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [bin, ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], RATE_LIMITS: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function collect(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      text += String(chunk)
    })
  }
  return () => text
}

async function ready(child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + READY_MS_MAX
  while (!/is ready/.test(output())) {
    if (child.exitCode !== null) throw new Error(`the service ended:\n${output()}`)
    if (Date.now() > deadline) throw new Error(`the service did not become ready:\n${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function request(
  url: string,
  method: string,
  call: { token?: string; body?: unknown } = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** A folder of this test file's own, removed afterwards. */
export async function temporaryDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'touchstone-run-'))
  atEnd(() => rm(dir, { recursive: true, force: true }))
  return dir
}
