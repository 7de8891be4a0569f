import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { COMPILE_CACHE } from './compile-cache.ts'
import { installInto } from './installation.ts'
import { onFileFinished } from './on-file-finished.ts'
import { freePort } from './port.ts'

const BIN = fileURLToPath(new URL('../../packages/server/bin/touchstone.mjs', import.meta.url))
/** The command line, which also has the service's own commands. */
export const CLI_BIN = fileURLToPath(
  new URL('../../packages/cli/bin/touchstone.mjs', import.meta.url),
)
const READY_MS_MAX = 180_000

export type Service = {
  url: string
  child: ChildProcess
  output(): string
  /** Sends the signal and resolves with the exit code (null after SIGKILL). */
  end(signal?: NodeJS.Signals): Promise<number | null>
  call(
    method: string,
    path: string,
    call?: { token?: string; body?: unknown },
  ): Promise<TestResponse>
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field of a body
export type TestResponse = { status: number; body: any }

/** Runs a command of the built program until it exits. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string>,
  bin = BIN,
): Promise<{ code: number | null; output: string }> {
  const child = launch(bin, args, env)
  const output = collectOutput(child)
  const [code] = await once(child, 'close')
  return { code, output: output() }
}

/**
 * Starts the built program as a separate process and waits until it is ready. An empty data folder
 * gets a migrated database first.
 */
export async function startService(
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<Service> {
  await install(env)
  return launchService(env, ['--empty', ...args], killAfterTest)
}

async function install({ DATA_DIR, DATABASE_URL }: Record<string, string>): Promise<void> {
  if (DATA_DIR !== undefined && DATABASE_URL === undefined) await installInto(DATA_DIR)
}

/** Starts as `npm start` does: an empty data folder becomes a new installation, with demo data. */
export function startWithDemoData(
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<Service> {
  return launchService(env, args, killAfterTest)
}

/** Starts `touchstone gateway` on the database of a service. */
export function startGatewayProcess(env: Record<string, string>): Promise<Service> {
  return launchService(env, [], killAfterTest, BIN, 'gateway')
}

/** Starts with the command line's `serve`. */
export async function startWithCli(env: Record<string, string>): Promise<Service> {
  await install(env)
  return launchService(env, ['--empty'], killAfterTest, CLI_BIN)
}

/** Starts without demo data for all tests of a file, and stops after the last one. */
export async function startSharedService(
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<Service> {
  await install(env)
  return launchService(env, ['--empty', ...args], stopAfterFile)
}

/** Called before the service is ready, so that a failed start is cleaned up too. */
type RegisterCleanup = (end: Service['end']) => void

const killAfterTest: RegisterCleanup = (end) =>
  onTestFinished(async () => void (await end('SIGKILL')))

const stopAfterFile: RegisterCleanup = (end) => onFileFinished(async () => void (await end()))

async function launchService(
  env: Record<string, string>,
  args: readonly string[],
  registerCleanup: RegisterCleanup,
  bin = BIN,
  command = 'serve',
): Promise<Service> {
  const port = await freePort()
  const child = launch(bin, [command, ...args], { PORT: String(port), METRICS_ADDR: 'off', ...env })
  const output = collectOutput(child)
  const end = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    child.kill(signal)
    const [code] = await once(child, 'close')
    return code
  }
  registerCleanup(end)
  await waitUntilReady(child, output)
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
    env: {
      ...COMPILE_CACHE,
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      RATE_LIMITS: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function collectOutput(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      text += String(chunk)
    })
  }
  return () => text
}

async function waitUntilReady(child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + READY_MS_MAX
  while (!/is ready/.test(output())) {
    if (child.exitCode !== null) throw new Error(`the service exited:\n${output()}`)
    if (Date.now() > deadline) throw new Error(`the service did not become ready:\n${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function request(
  url: string,
  method: string,
  call: { token?: string; body?: unknown } = {},
): Promise<TestResponse> {
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
