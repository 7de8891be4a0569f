import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { chmod, lchown, lstat, readdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'

/**
 * Runs PostgreSQL programs, which refuse to run as root. Root therefore either enters a user
 * namespace under another user id (file access stays that of root, so folders below a closed
 * home work) or becomes the user nobody, who then owns the data folder.
 */
export type Launcher = {
  spawn(program: string, args: string[], stdio: SpawnOptions['stdio']): ChildProcess
  /** Makes the user that runs the programs the owner of the folder. */
  own(dir: string): Promise<void>
}

type LaunchMode = 'direct' | RootMode
export type RootMode = 'user-namespace' | 'nobody'

/** The uid and gid of nobody on Linux and BSD. */
const NOBODY = 65534

export async function chooseLauncher(options: {
  /** The program to test a mode with. */
  program: string
  /** The service's folder, which must be reachable. */
  dir: string
  /** For tests: forces one mode. */
  asRoot?: RootMode | undefined
}): Promise<Launcher> {
  const isRoot = process.getuid?.() === 0
  if (!isRoot && hasName()) return createLauncher('direct')
  const rootModes: RootMode[] = options.asRoot ? [options.asRoot] : ['user-namespace', 'nobody']
  for (const mode of isRoot ? rootModes : (['user-namespace'] as const)) {
    const launcher = createLauncher(mode)
    if (mode === 'nobody') await admitNobody(options.dir)
    if (await works(launcher, options.program, options.dir)) return launcher
  }
  const user = isRoot ? 'root' : 'a user without a name'
  throw new Error(
    `The embedded PostgreSQL does not run as ${user} here: ` +
      'run as an ordinary user or set DATABASE_URL.',
  )
}

/** initdb refuses a user id without an entry in the user database, which some containers have. */
function hasName(): boolean {
  try {
    userInfo()
    return true
  } catch {
    return false
  }
}

function createLauncher(mode: LaunchMode): Launcher {
  return {
    spawn: (program, args, stdio) => launch(mode, program, args, stdio),
    async own(dir) {
      if (process.getuid?.() === 0) await chownTree(dir, mode === 'nobody' ? NOBODY : 0)
    },
  }
}

function launch(
  mode: LaunchMode,
  program: string,
  args: string[],
  stdio: SpawnOptions['stdio'],
): ChildProcess {
  const options: SpawnOptions = {
    stdio,
    cwd: '/',
    // A separate session: Ctrl-C in the terminal must reach only the service, which stops the
    // database last, and must not stop the database while requests are in progress.
    detached: true,
    windowsHide: true,
    ...environment(),
  }
  if (mode === 'user-namespace') {
    const names = [`--map-user=${NOBODY}`, `--map-group=${NOBODY}`]
    return spawn('unshare', ['-U', ...names, program, ...args], options)
  }
  if (mode === 'nobody') return spawn(program, args, { ...options, uid: NOBODY, gid: NOBODY })
  return spawn(program, args, options)
}

/**
 * Passes nothing of the service's environment on: it contains secrets, and PG* variables change
 * behaviour.
 */
function environment(): SpawnOptions {
  if (process.platform === 'win32') return {}
  return { env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } }
}

async function works(launcher: Launcher, program: string, dir: string): Promise<boolean> {
  const child = launcher.spawn(
    '/bin/sh',
    ['-c', 'cd "$1" && exec "$2" --version', 'sh', dir, program],
    'ignore',
  )
  return await new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
}

/** Our own folder is closed; nobody needs to traverse it, but not to list it. */
async function admitNobody(dir: string): Promise<void> {
  const { mode } = await lstat(dir)
  if ((mode & 0o001) === 0) await chmod(dir, (mode & 0o777) | 0o011)
}

/** Changes the folder itself last: its owner shows whether the whole tree is done. */
async function chownTree(path: string, owner: number): Promise<void> {
  const entry = await lstat(path)
  if (entry.uid === owner && entry.gid === owner) return
  if (entry.isDirectory()) await chownContents(path, owner)
  await lchown(path, owner, owner)
}

async function chownContents(dir: string, owner: number): Promise<void> {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) await chownContents(path, owner)
    await lchown(path, owner, owner)
  }
}
