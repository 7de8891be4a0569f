/** Line breaks, other control characters, bidirectional controls and lone surrogates. */
const NOT_PLAIN = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu

const NAME_CHARACTERS_MAX = 64

export function plainText(text: string): string {
  return text.replace(NOT_PLAIN, ' ').trim()
}

/** Sanitises and truncates a name chosen by an agent, before a model reads it. */
export function plainName(name: string): string {
  return truncate(plainText(name), NAME_CHARACTERS_MAX)
}

/** Truncates by code points, so that no surrogate pair is split. */
export function truncate(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : [...text].slice(0, charactersMax).join('')
}
