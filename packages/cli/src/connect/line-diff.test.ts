import { describe, expect, it } from 'vitest'
import { lineDiff } from './line-diff.ts'

describe('lineDiff', () => {
  it('shows changed lines with their surroundings', () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const after = ['a', 'b', 'c', 'd', 'X', 'f', 'g']
    expect(lineDiff(before.join('\n'), after.join('\n'))).toBe(
      ['  …', '  c', '  d', '- e', '+ X', '  f', '  g'].join('\n'),
    )
  })

  it('shows a new file as added lines', () => {
    expect(lineDiff('', 'a\nb')).toContain('+ a\n+ b')
  })
})
