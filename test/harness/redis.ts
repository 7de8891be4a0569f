import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Redis is optional on the machine: suites that require it say so if it is missing. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

export async function startRedis(
  port: number,
  folder: string,
  settings: readonly string[] = [],
): Promise<ChildProcess> {
  const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
  const server = spawn('redis-server', [...where, '--save', '', '--appendonly', 'no', ...settings])
  await untilSaid(server, 'Ready to accept connections')
  return server
}

/** Starts a sentinel that alone decides about a failover. */
export async function startSentinel(
  port: number,
  folder: string,
  service: { name: string; port: number },
): Promise<ChildProcess> {
  const file = join(folder, `sentinel-${port}.conf`)
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${service.name} 127.0.0.1 ${service.port} 1`,
    `sentinel down-after-milliseconds ${service.name} 500`,
    `sentinel failover-timeout ${service.name} 2000`,
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  const server = spawn('redis-server', [file, '--sentinel'])
  await untilSaid(server, 'Sentinel ID')
  return server
}

async function untilSaid(server: ChildProcess, text: string): Promise<void> {
  let said = ''
  for await (const chunk of server.stdout ?? []) {
    said += String(chunk)
    if (said.includes(text)) break
  }
  if (server.exitCode !== null) throw new Error(`redis-server did not start:\n${said}`)
}

export async function stopRedis(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const gone = once(server, 'exit')
  server.kill('SIGTERM')
  // A failed test may have left the process stopped, in which case it ignores SIGTERM until
  // SIGCONT.
  server.kill('SIGCONT')
  await gone
}
