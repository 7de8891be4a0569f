import { canonicalJson } from '@touchstone/protocol/base'

/** Enough for a person to judge a call. */
const BYTES_MAX = 32 * 1024

/** The arguments of a call as they are shown to those who can approve it. */
export type ShownArguments = { text: string; isTruncated: boolean }

/** The canonical JSON of the arguments, cut at a character after 32 KB. */
export function shownArguments(args: Readonly<Record<string, unknown>>): ShownArguments {
  const text = canonicalJson(args)
  const bytes = Buffer.from(text)
  if (bytes.length <= BYTES_MAX) return { text, isTruncated: false }
  // A decoder that expects more input leaves out an incomplete last character.
  const cut = new TextDecoder().decode(bytes.subarray(0, BYTES_MAX), { stream: true })
  return { text: cut, isTruncated: true }
}
