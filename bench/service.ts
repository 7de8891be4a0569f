import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** As in the start script of package.json. */
const NODE_FLAGS = ['--max-semi-space-size=16']
const BIN = fileURLToPath(new URL('../../packages/server/bin/touchstone.mjs', import.meta.url))

export type Running = { child: ChildProcess; startMs: number; stop(): Promise<void> }

/** Creates a temporary data folder for one benchmark. */
export function createDataFolder() {
  const dir = mkdtempSync(join(tmpdir(), 'touchstone-bench-'))
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}

export function credentialsIn(dir: string): { org_id: string; api_key: string } {
  return JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8'))
}

/** Starts the service as users do and measures the time until it is ready. */
export async function startService(
  dir: string,
  port: number,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Running> {
  return startProcess([BIN, 'serve', '--empty', ...args], port, {
    DATA_DIR: dir,
    RATE_LIMITS: 'off',
    METRICS_ADDR: 'off',
    ...env,
  })
}

/** Starts any HTTP process that serves /health/ready. */
export async function startProcess(
  args: readonly string[],
  port: number,
  env: Record<string, string>,
): Promise<Running> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...NODE_FLAGS, ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  // A benchmark that fails must not leave processes on its ports.
  process.once('exit', () => child.kill())
  await untilReady(`http://127.0.0.1:${port}/health/ready`, child)
  const stop = async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { child, startMs: performance.now() - startedAt, stop }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error('the process exited before it was ready')
    const ready = await fetch(url).then(
      (answer) => answer.status === 200,
      () => false,
    )
    if (ready) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('the process was not ready within 60 s')
}
