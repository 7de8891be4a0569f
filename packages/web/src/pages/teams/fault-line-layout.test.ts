import { expect, it } from 'vitest'
import { layoutFaultLines } from './fault-line-layout.ts'
import type { FaultLine } from './queries.ts'

function lineOf(value: string, declaring: string[], missing: string[], conflicting: string[]) {
  return {
    value,
    agents_declaring: declaring,
    agents_missing: missing,
    agents_conflicting: conflicting,
    // The layout reads nothing else.
  } as FaultLine
}

const rowsOf = (placed: readonly { id: string; row: number }[]) =>
  Object.fromEntries(placed.map(({ id, row }) => [id, row]))

it('puts related agents and values beside each other, so that no lines cross', () => {
  const { agents, values, rows } = layoutFaultLines([
    lineOf('privacy', ['a'], [], []),
    lineOf('speed', ['c'], [], []),
    lineOf('honesty', ['b'], [], []),
  ])
  expect(rows).toBe(3)
  const value = rowsOf(values)
  expect(rowsOf(agents)).toEqual({ a: value['privacy'], b: value['honesty'], c: value['speed'] })
})

it('centres the shorter column', () => {
  const { agents, values } = layoutFaultLines([lineOf('privacy', ['a', 'b', 'c'], [], [])])
  expect(agents.map(({ row }) => row)).toEqual([0, 1, 2])
  expect(values).toEqual([{ id: 'privacy', row: 1 }])
})

it('draws an agent that opposes a value only as opposing', () => {
  const { relations } = layoutFaultLines([lineOf('privacy', ['a'], ['b', 'c'], ['b'])])
  expect(relations).toEqual([
    { agent: 'a', value: 'privacy', relation: 'declares' },
    { agent: 'b', value: 'privacy', relation: 'opposes' },
    { agent: 'c', value: 'privacy', relation: 'lacks' },
  ])
})
