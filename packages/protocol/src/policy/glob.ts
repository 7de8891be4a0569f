import { createWildcardGlob } from './wildcard-glob.ts'

/**
 * Patterns over tool names: `*` matches any run of characters, `?` exactly one, everything else
 * itself. A name is scanned once from left to right, whatever the pattern: taking the first
 * position at which each part fits leaves the most room for later parts, so no backtracking is
 * needed.
 */

export type Glob = {
  matches(name: string): boolean
  /**
   * Whether it matches every name that the other pattern matches, as far as the texts show: it is
   * matched against the other pattern's text, where its `?` does not match a `*`.
   */
  covers(pattern: string): boolean
}

/** The part of a string that `createGlob` uses, so that a test can pass one that counts calls. */
export type SearchedText = Pick<string, 'length' | 'startsWith' | 'endsWith' | 'indexOf'>

/**
 * 1 to 256 characters without white space, control characters or lone surrogates; requires the u
 * flag.
 */
export const TOOL_NAME_FORM = '^[^\\s\\p{Cc}\\p{Cs}]{1,256}$'
const PATTERN = new RegExp(TOOL_NAME_FORM, 'u')

export function isToolPattern(text: string): boolean {
  return PATTERN.test(text)
}

/** Names follow the same rule as patterns, so any name is a pattern for itself. */
export function isToolName(text: string): boolean {
  return isToolPattern(text)
}

/** Requires well-formed text, see `isToolPattern`. */
export function createGlob(pattern: string): Glob {
  if (pattern.includes('?')) return createWildcardGlob(pattern)
  const parts = pattern.split('*')
  // Without `?`, matching and covering are the same comparison.
  const matches =
    parts.length === 1 ? (name: string) => name === pattern : (name: string) => fits(parts, name)
  return { matches, covers: matches }
}

/** The parts between stars, at least two: one at each end, the others in order between them. */
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
