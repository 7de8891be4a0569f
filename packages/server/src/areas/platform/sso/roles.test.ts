import { describe, expect, it } from 'vitest'
import { roleOf } from './roles.ts'

const config = {
  defaultRole: 'member' as const,
  roleMapping: [
    { group: 'readers', role: 'auditor' as const },
    { group: 'readers', role: 'member' as const },
    { group: 'it', role: 'admin' as const },
  ],
}

describe('roleOf', () => {
  it('gives the highest mapped role, in whatever order groups and mapping are', () => {
    expect(roleOf(['readers', 'it'], config)).toBe('admin')
    expect(roleOf(['it', 'readers'], config)).toBe('admin')
    expect(roleOf(['readers'], config)).toBe('auditor')
  })

  it('gives the default role to somebody in no mapped group, and compares exactly', () => {
    expect(roleOf([], config)).toBe('member')
    expect(roleOf(['IT', 'it '], config)).toBe('member')
  })

  it('decides nothing without a mapping', () => {
    expect(roleOf(['it'], { ...config, roleMapping: [] })).toBeUndefined()
  })
})
