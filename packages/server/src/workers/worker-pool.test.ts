import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TeamRiskInput } from '@touchstone/protocol/risk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createServerWorkers } from './server-workers.ts'
import { createWorkerPool, type WorkerPool, type WorkerPoolOptions } from './worker-pool.ts'

type TestTasks = {
  echo: (input: unknown) => unknown
  fail: (input: string) => never
  crash: (input: null) => void
  hoard: (input: null) => void
  spin: (input: null) => void
  rest: (input: number) => void
  threadId: (input: null) => number
}

const ENTRY = `
import { parentPort, threadId } from 'node:worker_threads'
parentPort.on('message', ({ name, input }) => {
  if (name === 'crash') process.exit(3)
  if (name === 'hoard') for (const kept = []; ; ) kept.push(Array.from({ length: 1000 }, Math.random))
  if (name === 'spin') for (;;);
  if (name === 'rest') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, input)
  if (name === 'fail') parentPort.postMessage({ error: new RangeError(input) })
  else parentPort.postMessage({ output: name === 'threadId' ? threadId : input })
})`

let dir: string
let entry: URL
const pools: WorkerPool<TestTasks>[] = []
const patient = { timeoutMs: 60_000 }

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'touchstone-pool-'))
  await writeFile(join(dir, 'entry.mjs'), ENTRY)
  entry = pathToFileURL(join(dir, 'entry.mjs'))
})

afterAll(async () => {
  for (const pool of pools) await pool.close()
  await rm(dir, { recursive: true })
})

function open(changes: Partial<WorkerPoolOptions> = {}): WorkerPool<TestTasks> {
  const usual = { entry, threadsMax: 1, waitingMax: 10, waitMsMax: 60_000, memoryMbMax: 64 }
  const pool = createWorkerPool<TestTasks>({ ...usual, ...changes })
  pools.push(pool)
  return pool
}

describe('a worker pool', () => {
  it('returns the result of a task', async () => {
    const input = { text: 'x', list: [1, 2], nothing: null }
    expect(await open().run('echo', input, patient)).toEqual(input)
  })

  it('moves what the caller gives away, instead of copying it', async () => {
    const input = new Uint8Array([1, 2, 3])
    const expected = input.slice()
    const moved = [input.buffer]
    expect(await open().run('echo', input, { ...patient, moved })).toEqual(expected)
    expect(input.byteLength).toBe(0)
  })

  it('rejects with the error of a task, and keeps its thread', async () => {
    const pool = open()
    const before = await pool.run('threadId', null, patient)
    await expect(pool.run('fail', 'too far', patient)).rejects.toThrow(new RangeError('too far'))
    expect(await pool.run('threadId', null, patient)).toBe(before)
  })

  it('never exceeds its number of threads, whatever the load', async () => {
    const pool = open({ threadsMax: 2 })
    const ids = await Promise.all(
      Array.from({ length: 8 }, () => pool.run('threadId', null, patient)),
    )
    expect(new Set(ids).size).toBe(2)
  })

  it('starts a thread before the first task, if asked to', async () => {
    const started = await mkdtemp(join(dir, 'started-'))
    const writing = join(dir, 'writing.mjs')
    await writeFile(
      writing,
      `import { writeFileSync } from 'node:fs'
      import { threadId as id } from 'node:worker_threads'
      writeFileSync(${JSON.stringify(started)} + '/' + id, '')${ENTRY}`,
    )
    const pool = open({ threadsMax: 2, entry: pathToFileURL(writing) })
    pool.start()
    await expect.poll(() => readdir(started)).toHaveLength(1)
    const id = await pool.run('threadId', null, patient)
    expect(await readdir(started)).toEqual([String(id)])
  })

  it('refuses tasks while its queue is full', async () => {
    const pool = open({ waitingMax: 2 })
    const [spinning, ...waiting] = [
      pool.run('spin', null, patient),
      pool.run('echo', 1, patient),
      pool.run('echo', 2, patient),
    ].map((one) => one.catch((err) => err))
    await expect(pool.run('echo', 3, patient)).rejects.toMatchObject({ kind: 'busy' })
    await pool.close()
    for (const one of [spinning, ...waiting]) expect(await one).toMatchObject({ kind: 'closed' })
  })

  it('rejects a task at its deadline, terminates its thread and starts another', async () => {
    const pool = open()
    const late = pool.run('spin', null, { timeoutMs: 20 })
    const behind = pool.run('echo', 'behind', patient)
    await expect(late).rejects.toMatchObject({ kind: 'late' })
    expect(await behind).toBe('behind')
  })

  it('rejects a task that waits too long, and no other', async () => {
    const pool = open({ waitMsMax: 5 })
    const running = pool.run('spin', null, patient).catch((err) => err)
    await expect(pool.run('echo', 1, patient)).rejects.toMatchObject({ kind: 'busy' })
    const waiting = pool.run('echo', 2, { ...patient, waitMs: 60_000 }).catch((err) => err)
    await pool.close()
    for (const one of [running, waiting]) expect(await one).toMatchObject({ kind: 'closed' })
  })

  it('starts the deadline of a task when it runs, not while it is queued', async () => {
    const pool = open()
    const before = pool.run('rest', 1500, patient)
    // Shorter than the tasks before it take.
    const behind = pool.run('echo', 'behind', { timeoutMs: 1000 })
    expect(await behind).toBe('behind')
    await before
  })

  it('survives a crashed thread, which fails only its own task', async () => {
    const pool = open()
    const crashed = pool.run('crash', null, patient)
    const behind = pool.run('echo', 'behind', patient)
    await expect(crashed).rejects.toMatchObject({ kind: 'crashed' })
    expect(await behind).toBe('behind')
  })

  it('says so if a task needs more memory than a thread has, and fails no other', async () => {
    const pool = open({ memoryMbMax: 16 })
    const hoarding = pool.run('hoard', null, patient)
    const behind = pool.run('echo', 'behind', patient)
    await expect(hoarding).rejects.toMatchObject({ kind: 'out_of_memory' })
    expect(await behind).toBe('behind')
  })

  it('fails every task if its entry cannot be loaded', async () => {
    const pool = open({ entry: pathToFileURL(join(dir, 'nowhere.mjs')) })
    await expect(pool.run('echo', 1, patient)).rejects.toMatchObject({ kind: 'crashed' })
    await expect(pool.run('echo', 2, patient)).rejects.toMatchObject({ kind: 'crashed' })
  })

  it('fails every task if no thread can be started', async () => {
    const pool = open({ entry: new URL('http://127.0.0.1/nowhere.mjs') })
    const all = [pool.run('echo', 1, patient), pool.run('echo', 2, patient)]
    for (const one of all) await expect(one).rejects.toMatchObject({ kind: 'crashed' })
  })

  it('rejects input that cannot be cloned, and keeps its thread', async () => {
    const pool = open()
    await expect(pool.run('echo', () => 1, patient)).rejects.toThrow('could not be cloned')
    expect(await pool.run('echo', 1, patient)).toBe(1)
  })

  it('refuses tasks after it is closed', async () => {
    const pool = open()
    await pool.close()
    await expect(pool.run('echo', 1, patient)).rejects.toMatchObject({ kind: 'closed' })
  })
})

describe('the workers of the service', () => {
  it('find their entry, even if it is not compiled', async () => {
    const workers = createServerWorkers()
    const member = {
      analysedCheckpoints: 0,
      reputation: null,
      violations: [],
      contained: false,
      card: null,
      violationDates: [],
      components: {
        integrity_ratio: 500,
        compliance: 500,
        drift_stability: 500,
        trace_completeness: 500,
        coherence_compatibility: 500,
      },
    }
    const input: TeamRiskInput = {
      actionType: 'data_access',
      riskTolerance: 'moderate',
      mode: null,
      teamCard: null,
      members: ['a', '__proto__'].map((agentId) => ({ ...member, agentId })),
    }
    const parts = { assessmentId: 'tra-1', asOf: '', merkleRoots: new Map(), salt: '' }
    const { risk } = await workers.run('reportTeam', { input, parts }, patient)
    expect(risk.members).toHaveLength(2)
    expect(Object.keys(risk.shapleyE4).sort()).toEqual(['__proto__', 'a'])
    await workers.close()
  })
})
