// Plain JavaScript, because this runs on a fresh clone before anything is installed or built.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

const NODE_MIN = [20, 19]
const INSTALL_STAMP = join(ROOT, 'node_modules', '.touchstone-installed')

/** Prints the message and exits. */
function stop(message) {
  process.stderr.write(`\n${message}\n`)
  process.exit(1)
}

export function assertNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return
  stop(`Touchstone needs Node ${NODE_MIN.join('.')} or newer; this is ${process.versions.node}.`)
}

/** Runs a program, shows its output and returns its exit code. */
export function run(program, args, env = {}) {
  const result = spawnSync(program, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  if (result.error) throw result.error
  return result.status ?? 1
}

/** Runs the command of an npm package. */
export function runBin(name, args, env = {}) {
  return run(process.execPath, [binPath(name), ...args], env)
}

/** The path of the command of an npm package. */
export function binPath(name) {
  const [, scope, rest] = /^(@[^/]+\/)?(.+)$/.exec(name) ?? []
  const dir = join(ROOT, 'node_modules', `${scope ?? ''}${rest}`)
  const manifest = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
  const bin = typeof manifest.bin === 'string' ? manifest.bin : Object.values(manifest.bin)[0]
  return join(dir, bin)
}

/** Installs from the lockfile, unless this version of it is already installed. */
export function ensureInstalled() {
  const lockfile = readFileSync(join(ROOT, 'package-lock.json'))
  const wanted = createHash('sha256').update(lockfile).digest('hex')
  if (readIfExists(INSTALL_STAMP) === wanted) return
  if (!isInstalledByNpm()) {
    process.stdout.write('Installing dependencies from the lockfile (once)…\n')
    // Not `npm ci`: it refuses a lockfile without the binaries of every other platform, which a
    // registry mirror may not have. `npm install` takes the versions of the lockfile, too.
    if (npm(['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']) !== 0) {
      stop('npm could not install the dependencies; its output is above.')
    }
  }
  writeFileSync(INSTALL_STAMP, wanted)
}

/** True if somebody ran `npm install`, which stores a copy of the lockfile in node_modules. */
function isInstalledByNpm() {
  const own = join(ROOT, 'node_modules', '.package-lock.json')
  return (
    existsSync(own) && statSync(own).mtimeMs >= statSync(join(ROOT, 'package-lock.json')).mtimeMs
  )
}

/** Runs npm, the one that runs this script if any. */
export function npm(args) {
  const cli = process.env.npm_execpath
  if (cli?.endsWith('.js')) return run(process.execPath, [cli, ...args])
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args)
}

/** Builds the service and the dashboard if a source is newer than the last build. */
export function ensureBuilt() {
  const code = ['protocol', 'prover', 'sdk', 'server', 'cli']
  build(
    'the service and its tools',
    sourcesOfPackages(code),
    join('cli', 'dist', '.touchstone-built'),
    () => runBin('typescript', ['-b', 'packages/cli']) || bundleHook(),
  )
  const page = ['protocol', 'prover', 'sdk', 'web']
  // The page Connect of the dashboard is made from these.
  const pages = [...sourcesOfPackages(page), join(ROOT, 'docs', 'connect')]
  build('the dashboard', pages, join('web', 'build', '.touchstone-built'), () =>
    runBin('vite', ['build', '--logLevel', 'warn', 'packages/web']),
  )
}

/** The program that coding agents start for every call, in one file. */
export function bundleHook() {
  const config = join('packages', 'cli', 'hook.vite.config.mjs')
  return runBin('vite', ['build', '--logLevel', 'warn', '--config', config, 'packages/cli'])
}

function sourcesOfPackages(names) {
  return names.flatMap((name) => sourcesOf(join(ROOT, 'packages', name)))
}

function build(what, sources, stampPath, work) {
  const stamp = join(ROOT, 'packages', stampPath)
  if (existsSync(stamp) && Math.max(...sources.map(newest)) < statSync(stamp).mtimeMs) return
  process.stdout.write(`Building ${what}…\n`)
  if (work() !== 0) stop('The build failed; its output is above.')
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, '')
}

function sourcesOf(dir) {
  const names = [
    'src',
    'public',
    'package.json',
    'index.html',
    'vite.config.ts',
    'hook.vite.config.mjs',
  ]
  return names.map((name) => join(dir, name)).filter(existsSync)
}

function newest(path) {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.mtimeMs
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}

function readIfExists(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
