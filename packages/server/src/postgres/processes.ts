import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { isCode } from '../system-error.ts'

/**
 * Process information from the operating system. A pid alone proves nothing: after a crash or a
 * restart of a container the same number can belong to another process, or to a zombie.
 */

/** `startTime` is in clock ticks since boot; only Linux reports it. */
type Process = { startTime: string | undefined }

/** Undefined if there is no such process, or only a zombie. */
export function findProcess(pid: number): Process | undefined {
  if (!isPidTaken(pid)) return undefined
  if (process.platform !== 'linux') return { startTime: undefined }
  try {
    // proc(5): the name in brackets can contain spaces and brackets, so parse from its end.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return 'ZX'.includes(fields[0] ?? 'X') ? undefined : { startTime: fields[19] }
  } catch {
    return isPidTaken(pid) ? { startTime: undefined } : undefined
  }
}

/** The check that PostgreSQL itself uses: true for zombies too. */
export function isPidTaken(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (err) {
    return isCode(err, 'EPERM')
  }
}

/** Whether `pid` is a live PostgreSQL server working on `dataDir` (a real path). */
export function isPostmasterOf(pid: number, dataDir: string): boolean {
  if (findProcess(pid) === undefined) return false
  if (process.platform === 'win32') return true
  // A postmaster changes into its data folder before it writes its pid file.
  const workingDir = findWorkingDir(pid)
  if (workingDir !== undefined) return workingDir === dataDir && isPostgres(pid)
  return commandLine(pid).includes(dataDir)
}

/**
 * Server processes that outlived their postmaster. A busy one notices only when its statement
 * ends, and until then no new server can start. Linux only; other systems have to wait.
 */
export function listOrphans(dataDir: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isPostgres(pid) && findWorkingDir(pid) === dataDir)
    .filter((pid) => commandLine(pid).startsWith('postgres: ') && !hasPostmaster(pid, dataDir))
}

export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already exited, which is what the signal was for.
  }
}

function hasPostmaster(pid: number, dataDir: string): boolean {
  const parent = /^PPid:\s*(\d+)$/m.exec(readProc(pid, 'status'))?.[1]
  return parent === undefined || findWorkingDir(Number(parent)) === dataDir
}

function isPostgres(pid: number): boolean {
  return process.platform !== 'linux' || readProc(pid, 'comm').trim() === 'postgres'
}

function findWorkingDir(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

function commandLine(pid: number): string {
  if (process.platform === 'linux') return readProc(pid, 'cmdline').replaceAll('\0', ' ')
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}
