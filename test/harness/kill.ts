import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import type { Service } from './process.ts'

export type Kill = (service: Service) => Promise<unknown>

export const killService: Kill = (service) => service.end('SIGKILL')

/** Kills each database process by its id, because they are in process groups of their own. */
export const killWithDatabase =
  (dataDir: string): Kill =>
  async (service) => {
    const file = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
    const postmaster = Number(file.split('\n')[0])
    const children = await childrenOf(postmaster)
    expect(children).not.toEqual([])
    for (const pid of [postmaster, ...children]) killIfRunning(pid)
    await service.end('SIGKILL')
  }

/** A child process may have exited since the processes were listed. */
function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (err) {
    if (!(err instanceof Error && 'code' in err && err.code === 'ESRCH')) throw err
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []))
}
