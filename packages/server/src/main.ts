import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { readConfig, SETTINGS } from './config.ts'
import { ConfigError } from './config-reader.ts'

const USAGE = `touchstone — trust ratings and governance for software agents

  touchstone serve [--role api|worker|all] [--empty] [--data DIR] [--port PORT]
                                                       run the service; --empty: no demo data
  touchstone stop [--data DIR]                         stop the service that uses this data folder
  touchstone gateway                                   run the model gateway alone, on the database of a service
  touchstone demo                                      run the service with demo data, in ./.touchstone-demo
  touchstone backup FILE                               write all data to one file
  touchstone restore FILE                              restore that file into an empty installation
  touchstone db migrate                                prepare the database for this version; nodes of the last release go on
  touchstone accounts reset-second-factor EMAIL        for a person who lost app and recovery codes
  touchstone chain deploy [--owner 0x…] [--identity-registry 0x…]    deploy the contracts to the chain at CHAIN_RPC_URL
  touchstone serve --help                              list the settings (environment variables)
  touchstone --version
`

/** Beside dist in the npm package, in the root folder of a clone. */
const MIGRATIONS_DIR = fileURLToPath(
  [new URL('../migrations', import.meta.url)].find(existsSync) ??
    new URL('../../../migrations', import.meta.url),
)
const PACKAGE = new URL('../package.json', import.meta.url)

/** The only reader of the environment and the only caller of process.exit. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    await run(args)
  } catch (err) {
    process.stderr.write(`${describeError(err)}\n`)
    process.exit(1)
  }
}

async function run(args: readonly string[]): Promise<void> {
  const [command = 'help', ...rest] = args
  switch (command) {
    case 'serve':
      return runServe(rest, process.env)
    case 'gateway':
      return runServe(['--role', 'gateway', ...rest], process.env)
    case 'demo':
      return runServe(rest, { ...process.env, ...DEMO_ENV })
    case 'stop':
      return runStop(rest)
    case 'backup':
    case 'restore':
      return runBackup(command, rest)
    case 'db':
      return runDatabase(rest)
    case 'accounts':
      return runAccounts(rest)
    case 'chain':
      return runChain(rest)
    case '--version':
      process.stdout.write(`${versionOf()}\n`)
      return
    case 'help':
    case '--help':
      process.stdout.write(USAGE)
      return
    default:
      throw new ConfigError(`Unknown command "${command}".\n\n${USAGE}`)
  }
}

/** The demo uses a separate data folder, and never the database of DATABASE_URL. */
const DEMO_ENV = {
  DATA_DIR: './.touchstone-demo',
  DATABASE_URL: undefined,
  DATABASE_URL_FILE: undefined,
}

async function runServe(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      role: { type: 'string', default: 'all' },
      empty: { type: 'boolean', default: false },
      data: { type: 'string' },
      port: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(`${USAGE}\n${settingsHelp()}`)
    return
  }
  const { role } = values
  if (role !== 'api' && role !== 'worker' && role !== 'all' && role !== 'gateway') {
    throw new ConfigError('--role must be api, worker, all or gateway.')
  }
  const { data: DATA_DIR, port: PORT } = values
  const flags = { ...(DATA_DIR && { DATA_DIR }), ...(PORT && { PORT }) }
  const config = readConfig({ ...env, ...flags }, process.cwd())
  tuneCollector()
  const { serve } = await import('./serve.ts')
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  const stopping = onStopSignal()
  const running = await serve({
    config,
    role,
    empty: values.empty,
    migrationsDir: MIGRATIONS_DIR,
    version: versionOf(),
    print,
  })
  await stopping
  // A hanging component, such as a frozen database, must not keep the process alive.
  setTimeout(() => process.exit(1), config.shutdownDelayMs + STOP_MS_MAX).unref()
  await running.stop()
  process.exit(0)
}

const STOP_MS_MAX = 60_000

/** With fewer cores, helper threads of the collector compete with the main thread. */
const PARALLEL_CORES_MIN = 3

/**
 * Makes the garbage collector run when memory in use has doubled. By default it waits for four
 * times as much on a machine with plenty of memory, and a long export takes all of that. Its
 * young-generation helper threads take the core from the main thread on a small machine.
 */
function tuneCollector(): void {
  setFlagsFromString('--heap-growing-percent=100')
  if (availableParallelism() < PARALLEL_CORES_MIN) setFlagsFromString('--no-parallel-scavenge')
}

/** One stop request often arrives twice: from the terminal and, forwarded, from npm. */
const SAME_SIGNAL_MS = 2000

/** Resolves at the first SIGINT or SIGTERM; a later second signal exits immediately. */
function onStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    const onSignal = () => {
      if (firstAt !== undefined && performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1)
      firstAt ??= performance.now()
      resolve()
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}

async function runStop(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { data: { type: 'string' } } })
  const env = values.data === undefined ? process.env : { ...process.env, DATA_DIR: values.data }
  const { dataDir, shutdownDelayMs } = readConfig(env, process.cwd())
  const { stopHolder } = await import('./postgres/data-lock.ts')
  const pid = await stopHolder(dataDir, shutdownDelayMs + STOP_MS_MAX)
  process.stdout.write(`The service (process ${pid}) has stopped.\n`)
}

async function runBackup(command: 'backup' | 'restore', args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const file = positionals[0]
  if (file === undefined) throw new ConfigError(`touchstone ${command} needs a file name.`)
  const config = readConfig(process.env, process.cwd())
  const { backup, restore } = await import('./backup/command.ts')
  const work = command === 'backup' ? backup : restore
  await work({
    dataDir: config.dataDir,
    databaseUrl: config.databaseDirectUrl ?? config.databaseUrl,
    hasSecretKey: config.secretKey !== undefined,
    file,
    migrationsDir: MIGRATIONS_DIR,
    print: (line: string) => void process.stdout.write(`${line}\n`),
  })
}

async function runDatabase(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  if (positionals[0] !== 'migrate' || positionals.length > 1) {
    throw new ConfigError('touchstone db has one subcommand: migrate.')
  }
  const { migrateDatabase } = await import('./database-command.ts')
  await migrateDatabase({
    config: readConfig(process.env, process.cwd()),
    migrationsDir: MIGRATIONS_DIR,
    version: versionOf(),
    print: (line: string) => void process.stdout.write(`${line}\n`),
  })
}

async function runAccounts(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [subcommand, email] = positionals
  if (subcommand !== 'reset-second-factor' || email === undefined) {
    throw new ConfigError('touchstone accounts has one subcommand: reset-second-factor EMAIL.')
  }
  const config = readConfig(process.env, process.cwd())
  const { resetSecondFactor } = await import('./accounts-command.ts')
  await resetSecondFactor({
    config,
    migrationsDir: MIGRATIONS_DIR,
    version: versionOf(),
    email,
    print: (line: string) => void process.stdout.write(`${line}\n`),
  })
}

async function runChain(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { owner: { type: 'string' }, 'identity-registry': { type: 'string' } },
  })
  if (positionals[0] !== 'deploy')
    throw new ConfigError('touchstone chain has one subcommand: deploy.')
  const owner = addressIn(values, 'owner')
  const identityRegistry = addressIn(values, 'identity-registry')
  const { chain: settings } = readConfig(process.env, process.cwd())
  const { deploy } = await import('./chain/deploy.ts')
  await deploy({
    settings,
    owner,
    identityRegistry,
    print: (line: string) => void process.stdout.write(`${line}\n`),
  })
}

function addressIn<Name extends string>(
  values: Partial<Record<Name, string>>,
  name: Name,
): `0x${string}` | undefined {
  const digits = values[name]?.toLowerCase().match(/^0x([0-9a-f]{40})$/)?.[1]
  if (values[name] !== undefined && digits === undefined) {
    throw new ConfigError(`--${name} must be 0x and 40 hexadecimal digits.`)
  }
  return digits === undefined ? undefined : `0x${digits}`
}

const FROM_FILES =
  'Each can also be read from a file: SECRET_KEY_FILE names a file that contains SECRET_KEY.'

function settingsHelp(): string {
  const width = Math.max(...SETTINGS.map(([name]) => name.length))
  const lines = SETTINGS.map(
    ([name, fallback, meaning]) =>
      `  ${name.padEnd(width)}  ${meaning}${fallback === '' ? '' : ` [${fallback}]`}`,
  )
  return `Settings:\n${lines.join('\n')}\n\n${FROM_FILES}\n`
}

function versionOf(): string {
  const manifest: unknown = JSON.parse(readFileSync(PACKAGE, 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0.0.0'
}

/** One sentence; the stack only with LOG_LEVEL=debug. */
function describeError(err: unknown): string {
  if (process.env['LOG_LEVEL'] === 'debug' && err instanceof Error) return err.stack ?? err.message
  if (err instanceof ConfigError) return err.message
  if (!(err instanceof Error)) return String(err)
  if ('code' in err && err.code === 'EADDRINUSE' && 'port' in err) {
    return `Port ${String(err.port)} is in use. Stop the process that uses it, or set PORT to a different port.`
  }
  return `Touchstone failed: ${err.message}`
}
