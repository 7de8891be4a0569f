import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { agentIdSkeleton, canonicalAgentId } from './agent-id.ts'

const FIRST = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const agentId = fc
  .tuple(
    fc.constantFrom(...FIRST),
    fc.string({ unit: fc.constantFrom(...FIRST, '.', '_', ':', '-'), minLength: 2, maxLength: 20 }),
  )
  .map(([first, rest]) => first + rest)

const CLASSES = ['0oO', '1lLiI', '-_.']

/** Replaces characters by others that differ in case or look alike. */
const disguise = (id: string) =>
  fc
    .tuple(...[...id].map((character) => fc.constantFrom(...lookAlikes(character))))
    .map((characters) => characters.join(''))

function lookAlikes(character: string): string[] {
  const all = CLASSES.find((one) => one.includes(character))
  return all === undefined ? [character.toLowerCase(), character.toUpperCase()] : [...all]
}

describe('agent ids', () => {
  it('have the forms of the vectors', () => {
    const file = new URL('../../../../vectors/identifiers/agent-ids.json', import.meta.url)
    const { cases } = JSON.parse(readFileSync(file, 'utf8'))
    for (const { id, canonical, skeleton } of cases) {
      expect({ canonical: canonicalAgentId(id), skeleton: agentIdSkeleton(id) }, id).toEqual({
        canonical,
        skeleton,
      })
    }
  })

  it('have the same canonical form in any case, and no two ids of lower case share one', () => {
    fc.assert(
      fc.property(agentId, (id) => {
        const canonical = canonicalAgentId(id)
        expect(canonicalAgentId(id.toUpperCase())).toBe(canonical)
        expect(canonicalAgentId(canonical)).toBe(canonical)
        expect(canonical.toUpperCase()).toBe(id.toUpperCase())
      }),
      runs(1000),
    )
  })

  it('have the same skeleton if they differ only by case and characters that look alike', () => {
    const pair = agentId.chain((id) => fc.tuple(fc.constant(id), disguise(id)))
    fc.assert(
      fc.property(pair, ([id, disguised]) => {
        expect(agentIdSkeleton(disguised)).toBe(agentIdSkeleton(id))
      }),
      runs(1000),
    )
  })

  it('have different skeletons if any other character differs', () => {
    fc.assert(
      fc.property(agentId, fc.nat(), fc.constantFrom(...FIRST, '-', ':'), (id, at, other) => {
        const index = at % id.length
        const changed = id.slice(0, index) + other + id.slice(index + 1)
        fc.pre(!lookAlikes(id.charAt(index)).includes(other))
        expect(agentIdSkeleton(changed)).not.toBe(agentIdSkeleton(id))
      }),
      runs(1000),
    )
  })

  it('have a skeleton that is its own, with the length of the id', () => {
    fc.assert(
      fc.property(agentId, (id) => {
        const skeleton = agentIdSkeleton(id)
        expect(agentIdSkeleton(skeleton)).toBe(skeleton)
        expect(skeleton).toHaveLength(id.length)
      }),
      runs(1000),
    )
  })

  it('change only in ASCII, as in the database', () => {
    expect(canonicalAgentId('\u212Aelvin-É-İ')).toBe('\u212Aelvin-É-İ')
    expect(agentIdSkeleton('ΟО')).toBe('ΟО')
  })
})
