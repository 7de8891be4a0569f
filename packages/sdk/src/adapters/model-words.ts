/** Members in which model APIs and frameworks put the model's own words, in the order to read them. */
const WORDS = [
  'thinking',
  'reasoning',
  'reasoning_content',
  'summary',
  'rawContent',
  'text',
  'content',
]

/**
 * The reasoning and the text of a model's answer, in any of the forms of its API. A value of an unknown
 * form has none. Undefined if there are no words.
 */
export function modelWords(answer: unknown): string | undefined {
  const words = textsIn(answer).filter((text) => text.trim() !== '')
  return words.length === 0 ? undefined : [...new Set(words)].join('\n')
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return []
  const members: Readonly<Record<string, unknown>> = { ...value }
  return WORDS.flatMap((name) => textsIn(members[name]))
}
