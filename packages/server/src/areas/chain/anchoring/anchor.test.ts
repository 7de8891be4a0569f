import { describe, expect, it } from 'vitest'
import { faultOf } from './anchor.ts'

const root = `0x${'ab'.repeat(32)}` as const

describe('faultOf', () => {
  it('accepts a depth from the smallest that fits the leaves up to 32', () => {
    for (const [leafCount, least] of [
      [1, 0],
      [2, 1],
      [3, 2],
      [347, 9],
      [1024, 10],
      [1025, 11],
      [4_294_967_295, 32],
    ] as const) {
      const at = (treeDepth: number) => faultOf({ merkleRoot: root, leafCount, treeDepth })?.field
      expect(at(least)).toBeUndefined()
      expect(at(32)).toBeUndefined()
      expect(at(33)).toBe('tree_depth')
      if (least > 0) expect(at(least - 1)).toBe('tree_depth')
    }
  })

  it('refuses a zero root', () => {
    const merkleRoot = `0x${'0'.repeat(64)}` as const
    expect(faultOf({ merkleRoot, leafCount: 1, treeDepth: 0 })?.field).toBe('merkle_root')
  })
})
