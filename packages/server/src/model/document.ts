/** Names in capitals between brackets are control tokens of some models. */
const BRACKETED_NAME = /\[(?=\/?[A-Z_]+\])/g

/**
 * Data as the one JSON document a model is given. Texts cannot leave their quotes, and nothing in
 * them reads like the control tokens (<|…|>, </s>, [INST]) by which some local servers take a
 * message for ended: those openings are escaped, which in JSON stands for the same text.
 */
export function toDocument(data: unknown): string {
  // INVARIANT: outside of strings JSON has no `<`, and after `[` no capital letter or slash.
  return JSON.stringify(data ?? null)
    .replaceAll('<', '\\u003c')
    .replace(BRACKETED_NAME, '\\u005b')
}
