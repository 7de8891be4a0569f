import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { COMMANDS } from './commands.ts'
import type { Environment } from './io.ts'
import { run } from './run.ts'

const PACKAGE = new URL('../package.json', import.meta.url)

/** The only place that reads process.env and ends the process. */
export async function main(argv: readonly string[]): Promise<void> {
  const { stdin, stdout, stderr, env } = process
  // A closed pipe, as in `touchstone … | head`, is not an error.
  stdout.on('error', () => (stopping === undefined ? process.exit(0) : stopping.abort()))
  const code = await run(argv, {
    commands: COMMANDS,
    env: environment(env),
    stdin,
    stopSignal,
    color: stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
    hasProgress: stderr.isTTY === true,
    stdout,
    stderr: (text) => void stderr.write(text),
  })
  process.exitCode = code
}

let stopping: AbortController | undefined

/** The first signal asks for a graceful stop; the second one ends the process immediately. */
function stopSignal(): AbortSignal {
  if (stopping !== undefined) return stopping.signal
  const controller = new AbortController()
  stopping = controller
  const stop = () => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}

function environment(env: NodeJS.ProcessEnv): Environment {
  return {
    url: nonEmpty(env['TOUCHSTONE_URL']),
    apiKey: nonEmpty(env['TOUCHSTONE_API_KEY']),
    orgId: nonEmpty(env['TOUCHSTONE_ORG']),
    agent: nonEmpty(env['TOUCHSTONE_AGENT']),
    dataDir: nonEmpty(env['DATA_DIR']),
    configFile:
      nonEmpty(env['TOUCHSTONE_CONFIG']) ?? join(configDir(env), 'touchstone', 'config.json'),
    version: versionOf(),
    cwd: process.cwd(),
    all: env,
  }
}

function configDir(env: NodeJS.ProcessEnv): string {
  const folder = process.platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME']
  return nonEmpty(folder) ?? join(homedir(), '.config')
}

/** Treats an empty variable as unset. */
function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}

function versionOf(): string {
  const manifest: unknown = JSON.parse(readFileSync(PACKAGE, 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0.0.0'
}
