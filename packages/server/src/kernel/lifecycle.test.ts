import { describe, expect, it } from 'vitest'
import { createLifecycle, type Hook } from './lifecycle.ts'

type Phases = { begin: []; ended: [id: string] }
type EndedHook = Hook<[id: string]>

/** Records the hooks that ran, in order. */
function createRecord() {
  const done: string[] = []
  const note =
    (name: string) =>
    (id: string): void =>
      void done.push(`${name} ${id}`)
  const fail = (): never => {
    throw new Error('broken')
  }
  return { done, note, fail }
}

function sealed(hooks: Readonly<Record<string, EndedHook>>) {
  const lifecycle = createLifecycle<Phases, string[]>()
  for (const [name, ended] of Object.entries(hooks)) lifecycle.add({ name, hooks: { ended } })
  lifecycle.seal()
  return lifecycle
}

describe('hooks of a phase', () => {
  it('run in the order of registration, with the arguments of the phase', async () => {
    const { done, note } = createRecord()
    await sealed({ a: note('a'), b: note('b') }).run('ended', 'x')
    expect(done).toEqual(['a x', 'b x'])
  })

  it('run before and after those they name, and the others keep their order', async () => {
    const { done, note } = createRecord()
    const lifecycle = sealed({
      log: { run: note('log'), last: true },
      late: { run: note('late'), after: ['c'] },
      a: note('a'),
      b: note('b'),
      c: note('c'),
      early: { run: note('early'), before: ['b'] },
    })
    await lifecycle.run('ended', 'x')
    expect(done).toEqual(['a x', 'c x', 'late x', 'early x', 'b x', 'log x'])
  })

  it('stop at the first failure, which is rethrown', async () => {
    const { done, note, fail } = createRecord()
    const lifecycle = sealed({ a: note('a'), b: fail, c: note('c') })
    await expect(lifecycle.run('ended', 'x')).rejects.toThrow('broken')
    expect(done).toEqual(['a x'])
  })

  it('all run with runAll, which throws at the end', async () => {
    const { done, note, fail } = createRecord()
    const lifecycle = sealed({ a: fail, b: note('b'), c: fail })
    await expect(lifecycle.runAll('ended', 'x')).rejects.toThrow('phase ended: 2 of 3 failed')
    expect(done).toEqual(['b x'])
  })

  it('are optional', async () => {
    await expect(sealed({}).run('begin')).resolves.toBeUndefined()
  })
})

describe('constraint', () => {
  it('cannot name a feature without a hook in the phase', () => {
    const { note } = createRecord()
    expect(() => sealed({ a: { run: note('a'), before: ['b'] } })).toThrow(
      'ended: a names b, which has no hook there',
    )
  })

  it('cannot be part of a cycle', () => {
    const { note } = createRecord()
    const hooks = { a: { run: note('a'), after: ['b'] }, b: { run: note('b'), after: ['a'] } }
    expect(() => sealed(hooks)).toThrow('ended: the constraints of a, b form a cycle')
  })
})

describe('features', () => {
  it('register once, and before the seal', () => {
    const lifecycle = createLifecycle<Phases, string[]>()
    lifecycle.add({ name: 'a' })
    expect(() => lifecycle.add({ name: 'a' })).toThrow('a is registered twice')
    lifecycle.seal()
    expect(() => lifecycle.add({ name: 'b' })).toThrow('b is registered after the seal')
  })

  it('are not run before the seal', async () => {
    const lifecycle = createLifecycle<Phases, string[]>()
    await expect(lifecycle.run('begin')).rejects.toThrow('cannot run before it is sealed')
  })

  it('mount their routes in the order of registration', () => {
    const lifecycle = createLifecycle<Phases, string[]>()
    lifecycle.add({ name: 'a', routes: (paths) => void paths.push('/a') })
    lifecycle.add({ name: 'b' })
    lifecycle.add({ name: 'c', routes: (paths) => void paths.push('/c') })
    const paths: string[] = []
    lifecycle.mount(paths)
    expect(paths).toEqual(['/a', '/c'])
  })
})

describe('purges', () => {
  it('all run with the same time, even after a failure, which is thrown at the end', async () => {
    const lifecycle = createLifecycle<Phases, string[]>()
    const now = new Date('2026-03-01T00:00:00.000Z')
    const purged: string[] = []
    const purge = (name: string, rows: number) => ({
      name,
      run: async (at: Date) => (at === now ? rows : 0),
    })
    const broken = { name: 'broken', run: () => Promise.reject(new Error('no')) }
    lifecycle.add({ name: 'a', purges: [purge('letters', 3), broken] })
    lifecycle.add({ name: 'b', purges: [purge('stamps', 1)] })
    await expect(
      lifecycle.purge(now, (name, rows) => purged.push(`${name} ${rows}`)),
    ).rejects.toThrow('purge: 1 of 3 failed')
    expect(purged).toEqual(['letters 3', 'stamps 1'])
  })
})
