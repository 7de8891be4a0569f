import { createWildcardGlob } from './wildcard-glob.ts'

/**
 * Patterns over tool names: `*` is any run of characters, `?` exactly one, all else itself. A
 * name is looked through once from left to right, whatever the pattern: taking the first place
 * where each part fits leaves the most room for the parts after it, so nothing is ever tried
 * twice.
 */

export type Glob = {
  matches(name: string): boolean
  /**
   * Whether it matches every name that the other pattern matches, as far as their texts tell:
   * it is matched against that text, and its `?` stands for no `*` there.
   */
  covers(pattern: string): boolean
}

/** What `createGlob` asks of a name; a test hands in one that keeps count. */
export type SearchedText = Pick<string, 'length' | 'startsWith' | 'endsWith' | 'indexOf'>

/** 1 to 256 characters, none of them white space, control or half a surrogate pair; with flag u. */
export const TOOL_NAME_FORM = '^[^\\s\\p{Cc}\\p{Cs}]{1,256}$'
const PATTERN = new RegExp(TOOL_NAME_FORM, 'u')

export function isToolPattern(text: string): boolean {
  return PATTERN.test(text)
}

/** Names are held to the same rule as patterns, so any name is a pattern for itself. */
export function isToolName(text: string): boolean {
  return isToolPattern(text)
}

/** Expects well-formed text, as `isToolPattern` demands. */
export function createGlob(pattern: string): Glob {
  if (pattern.includes('?')) return createWildcardGlob(pattern)
  const parts = pattern.split('*')
  // Without `?` a pattern matches and covers by the same comparison.
  const matches =
    parts.length === 1 ? (name: string) => name === pattern : (name: string) => fits(parts, name)
  return { matches, covers: matches }
}

/** The parts between stars, at least two: one at either end, the others in order between. */
export function fits(parts: readonly string[], name: SearchedText): boolean {
  const head = parts[0] ?? ''
  const tail = parts.at(-1) ?? ''
  const end = name.length - tail.length
  let at = head.length
  if (at > end || !name.startsWith(head) || !name.endsWith(tail)) return false
  for (let i = 1; i < parts.length - 1; i++) {
    const part = parts[i] ?? ''
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
    if (at > end) return false
  }
  return true
}

export function matchesGlob(pattern: string, name: string): boolean {
  return createGlob(pattern).matches(name)
}

export function patternCovers(covering: string, covered: string): boolean {
  return createGlob(covering).covers(covered)
}
