import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onFileFinished } from './on-file-finished.ts'
import { freePort } from './port.ts'
import { temporaryDir } from './temporary-dir.ts'

/** PgBouncer is optional on the machine: suites that require it say so if it is missing. */
export const hasPgbouncer = spawnSync('pgbouncer', ['--version']).status === 0

const NOBODY = 65_534

/** Starts a PgBouncer in transaction mode before a database and returns its connection string. */
export async function startPgbouncer(databaseUrl: string, settings = ''): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const dir = await temporaryDir()
  const listenPort = await freePort()
  const file = join(dir, 'pgbouncer.ini')
  const users = join(dir, 'users.txt')
  await writeFile(users, `"${username}" "${password}"\n`)
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = 20
max_client_conn = 200
${settings}
`,
  )
  await chmod(dir, 0o755)
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0
  const child = spawn('pgbouncer', [file], isRoot ? { uid: NOBODY, gid: NOBODY } : {})
  onFileFinished(() => end(child))
  await untilReady(child)
  const url = new URL(databaseUrl)
  url.port = String(listenPort)
  url.pathname = pathname
  return url.href
}

async function untilReady(child: ChildProcess): Promise<void> {
  let said = ''
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk)
    if (said.includes('process up')) return
  }
  throw new Error(`pgbouncer did not start:\n${said}`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
