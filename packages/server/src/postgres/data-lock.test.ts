import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { compileFolder, firstLine } from './compiled.fixture.ts'
import { lockDataDir, stopHolder } from './data-lock.ts'
import { findProcess } from './processes.ts'

const HOLDER = `
import { lockDataDir } from '../postgres/data-lock.js'
await lockDataDir(process.argv[2]).then(() => console.log('locked'), (err) => console.log(err.message))
setInterval(() => {}, 1000)
`

const STOPPER = `
import { stopHolder } from '../postgres/data-lock.js'
process.setuid(Number(process.argv[3]))
await stopHolder(process.argv[2], 1000).catch((err) => console.log(err.message))
`

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lock-'))
})

afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
})

/** Leaves a lock behind like another process. */
function leaveLock(change: Record<string, unknown>, ageMs = 0): void {
  const own = JSON.parse(readFileSync(ownLock(), 'utf8')) as Record<string, unknown>
  const file = join(dir, 'lock', '9')
  writeFileSync(file, `${JSON.stringify({ ...own, ...change })}\n`)
  const time = new Date(Date.now() - ageMs)
  utimesSync(file, time, time)
}

function ownLock(): string {
  return join(dir, 'lock', readdirSync(join(dir, 'lock')).sort().at(-1) ?? '')
}

/** Takes a lock of this process and releases it. */
async function lockOnce(): Promise<void> {
  const lock = await lockDataDir(dir)
  const content = readFileSync(ownLock())
  lock.release()
  writeFileSync(ownLock(), content)
  rmSync(join(dir, 'lock', '2'), { force: true })
}

describe('lockDataDir', () => {
  it('refuses a locked folder with the pid of its holder, until it is released', async () => {
    const lock = await lockDataDir(dir)
    await expect(lockDataDir(dir)).rejects.toThrow(
      `in use by a running server (process ${process.pid})`,
    )
    lock.release()
    const next = await lockDataDir(dir)
    next.release()
    expect(statSync(ownLock()).mode & 0o777).toBe(0o600)
  })

  it('takes over the lock of a dead process', async () => {
    await lockOnce()
    leaveLock({ pid: 2 ** 22 + 1 })
    ;(await lockDataDir(dir)).release()
  })

  it.runIf(process.platform === 'linux')('is not fooled by a reused pid', async () => {
    await lockOnce()
    leaveLock({ start_time: '1' })
    ;(await lockDataDir(dir)).release()
  })

  it.each([-1, 0, 1.5, 'self', null])(
    'takes over a lock that names no process: %j',
    async (pid) => {
      await lockOnce()
      leaveLock({ pid, start_time: undefined })
      ;(await lockDataDir(dir)).release()
    },
  )

  it('takes over a lock file that a crash of the machine left empty', async () => {
    mkdirSync(join(dir, 'lock'))
    writeFileSync(join(dir, 'lock', '3'), '')
    ;(await lockDataDir(dir)).release()
  })

  it('respects a holder in another container as long as it sends heartbeats', async () => {
    await lockOnce()
    leaveLock({ scope: 'elsewhere', pid: 1 })
    const file = join(dir, 'lock', '9')
    const beat = setInterval(() => utimesSync(file, new Date(), new Date()), 200)
    await expect(lockDataDir(dir)).rejects.toThrow('(process 1)')
    clearInterval(beat)

    leaveLock({ scope: 'elsewhere', pid: 1 }, 60_000)
    ;(await lockDataDir(dir)).release()
  })

  it('lets exactly one of many callers win, without a lock and with a dead one', async () => {
    for (const prepare of [() => undefined, () => leaveLock({ pid: 2 ** 22 + 1 })]) {
      prepare()
      const tries = await Promise.allSettled(Array.from({ length: 30 }, () => lockDataDir(dir)))
      const won = tries.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      expect(won).toHaveLength(1)
    }
  })

  it('lets exactly one of many processes win, and another after that is killed', async () => {
    const { run, remove } = compileFolder()
    const children = Array.from({ length: 6 }, () => run(HOLDER, dir))
    const lines = await Promise.all(children.map(firstLine))
    const winner = lines.indexOf('locked')
    expect(lines.filter((line) => line === 'locked')).toHaveLength(1)
    for (const line of lines.filter((other) => other !== 'locked')) {
      expect(line).toContain(`(process ${children[winner]?.pid})`)
    }
    await Promise.all(
      children.map(async (child) => {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }),
    )
    remove()
    ;(await lockDataDir(dir)).release()
  })

  it('stops the process that holds a folder, and no other', async () => {
    await expect(stopHolder(dir, 60_000)).rejects.toThrow(`No running service uses`)
    const { run, remove } = compileFolder()
    const holder = run(HOLDER, dir)
    expect(await firstLine(holder)).toBe('locked')
    const ended = once(holder, 'exit')
    expect(await stopHolder(dir, 60_000)).toBe(holder.pid)
    expect(await ended).toEqual([null, 'SIGTERM'])
    await expect(stopHolder(dir, 60_000)).rejects.toThrow(`No running service uses`)
    remove()

    await lockOnce()
    leaveLock({ scope: 'elsewhere', pid: 1 })
    const beat = setInterval(() => utimesSync(join(dir, 'lock', '9'), new Date(), new Date()), 200)
    await expect(stopHolder(dir, 60_000)).rejects.toThrow('in another container')
    clearInterval(beat)
  })

  const isRoot = process.platform === 'linux' && process.getuid?.() === 0
  const NOBODY = 65_534

  it.runIf(isRoot)('does not stop a process that another user wrote into the folder', async () => {
    await lockOnce()
    const victim = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    onTestFinished(() => void victim.kill('SIGKILL'))
    leaveLock({ pid: victim.pid, start_time: findProcess(victim.pid ?? 0)?.startTime })
    chownSync(join(dir, 'lock', '9'), NOBODY, NOBODY)
    await expect(stopHolder(dir, 1000)).rejects.toThrow('belongs to another user')
    expect(findProcess(victim.pid ?? 0)).toBeDefined()
  })

  it('does not stop a process that got the pid of a dead server, without start times', async () => {
    await lockOnce()
    const victim = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    onTestFinished(() => void victim.kill('SIGKILL'))
    leaveLock({ pid: victim.pid, start_time: undefined }, 60_000)
    const { platform } = process
    onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }))
    Object.defineProperty(process, 'platform', { value: 'darwin' })
    await expect(stopHolder(dir, 1000)).rejects.toThrow('No running service uses')
    expect(findProcess(victim.pid ?? 0)).toBeDefined()
  })

  it.runIf(isRoot)('says if the folder cannot be read', async () => {
    await lockOnce()
    const { run, remove } = compileFolder()
    onTestFinished(remove)
    const child = run(STOPPER, dir, String(NOBODY))
    expect(await firstLine(child)).toContain('EACCES')
  })

  it('does not pile up old locks', async () => {
    for (let n = 0; n < 15; n++) (await lockDataDir(dir)).release()
    expect(readdirSync(join(dir, 'lock')).length).toBeLessThanOrEqual(10)
  })
})
