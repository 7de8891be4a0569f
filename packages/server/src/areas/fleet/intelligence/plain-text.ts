/** Ends of lines, controls of direction and halves of characters: nothing a sentence needs. */
const NOT_PLAIN = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu

const NAME_CHARACTERS_MAX = 64

export function plainText(text: string): string {
  return text.replace(NOT_PLAIN, ' ').trim()
}

/** A name that an agent chose, as a model may read it. */
export function plainName(name: string): string {
  return cut(plainText(name), NAME_CHARACTERS_MAX)
}

/** By characters, so that none is halved. */
export function cut(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : [...text].slice(0, charactersMax).join('')
}
