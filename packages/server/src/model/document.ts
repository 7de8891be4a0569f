/** Names in capitals in square brackets are control tokens of some models. */
const BRACKETED_NAME = /\[(?=\/?[A-Z_]+\])/g

/**
 * Encodes data as the one JSON document given to a model. Texts cannot leave their quotes, and
 * no text contains the control tokens (<|…|>, </s>, [INST]) by which some local servers end a
 * message: their opening characters are escaped, which in JSON represents the same text.
 */
export function toDocument(data: unknown): string {
  // INVARIANT: outside strings, JSON has no `<`, and no capital letter or slash after `[`.
  return JSON.stringify(data ?? null)
    .replaceAll('<', '\\u003c')
    .replace(BRACKETED_NAME, '\\u005b')
}
