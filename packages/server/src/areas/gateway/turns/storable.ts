/** The database stores neither; truncation may leave half of a surrogate pair. */
const REJECTED_CHARACTERS = /[\0\p{Surrogate}]/gu

/** A text that a provider or client chose, in a form that can be stored. */
export function storable(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(REJECTED_CHARACTERS, '\u{FFFD}')
}
