import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** Redis is optional on the machine: suites that require it say so if it is missing. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

export async function startRedis(port: number, folder: string): Promise<ChildProcess> {
  const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
  const server = spawn('redis-server', [...where, '--save', '', '--appendonly', 'no'])
  let said = ''
  for await (const chunk of server.stdout) {
    said += String(chunk)
    if (said.includes('Ready to accept connections')) break
  }
  if (server.exitCode !== null) throw new Error(`redis-server did not start:\n${said}`)
  return server
}

export async function stopRedis(server: ChildProcess): Promise<void> {
  const gone = once(server, 'exit')
  server.kill('SIGTERM')
  // A failed test may have left the process stopped, in which case it ignores SIGTERM until
  // SIGCONT.
  server.kill('SIGCONT')
  await gone
}
