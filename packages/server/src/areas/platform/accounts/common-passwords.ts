/** Letters or digits added around a common password do not make it a good one, up to this many. */
const ADDED_MAX = 6

/**
 * Whether a password is in the list, in any case, repeated, or with a few digits and signs around it
 * (spec: platform §2.4). Most of the commonest passwords are shorter than the minimum length, so
 * people who have to choose a longer one pad them.
 */
export function isCommon(password: string, list: ReadonlySet<string>): boolean {
  const whole = password.normalize('NFKC').toLowerCase()
  const bare = whole.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  const candidates = whole.length - bare.length <= ADDED_MAX ? [whole, bare] : [whole]
  return candidates.some((text) => list.has(text) || list.has(repeatedPart(text)))
}

/** The shortest text whose repetition gives the whole. */
function repeatedPart(text: string): string {
  // A text is a repetition if it occurs in its double at a place other than the first and last.
  const length = text === '' ? 0 : `${text}${text}`.indexOf(text, 1)
  return text.slice(0, length)
}
