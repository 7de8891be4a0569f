import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { COMMANDS } from './commands.ts'
import type { Environment } from './io.ts'
import { run } from './run.ts'

const PACKAGE = new URL('../package.json', import.meta.url)

/** The only reader of the environment and the only one to end the process. */
export async function main(argv: readonly string[]): Promise<void> {
  const { stdin, stdout, stderr, env } = process
  // Such as `touchstone … | head`: nobody reads on, which is no failure of ours.
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

/** At the second signal the process ends whatever it waits for. */
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
    url: textOf(env['TOUCHSTONE_URL']),
    apiKey: textOf(env['TOUCHSTONE_API_KEY']),
    orgId: textOf(env['TOUCHSTONE_ORG']),
    agent: textOf(env['TOUCHSTONE_AGENT']),
    dataDir: textOf(env['DATA_DIR']),
    configFile:
      textOf(env['TOUCHSTONE_CONFIG']) ?? join(configDir(env), 'touchstone', 'config.json'),
    version: versionOf(),
    cwd: process.cwd(),
    all: env,
  }
}

function configDir(env: NodeJS.ProcessEnv): string {
  const own = process.platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME']
  return textOf(own) ?? join(homedir(), '.config')
}

/** An empty variable is one that is not set. */
function textOf(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}

function versionOf(): string {
  const manifest: unknown = JSON.parse(readFileSync(PACKAGE, 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0.0.0'
}
