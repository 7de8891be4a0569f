/** The words of a text: the lower-cased matches of `[\p{L}\p{N}']+`. */
export type Words = {
  count: number
  isAscii: boolean
  /** The words in UTF-8, joined by single spaces. */
  bytes: Uint8Array
  /** The bytes of word i are [starts[i], ends[i]). */
  starts: Int32Array
  ends: Int32Array
  at(index: number): string
}

const WORD = /[\p{L}\p{N}']+/gu
const NON_ASCII = /[^\0-\x7f]/
const SPACE = 0x20

/** For each ASCII code the lower-case code if it is part of a word, otherwise 0. */
const ASCII_LOWER = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  return /[a-z0-9']/i.test(char) ? char.toLowerCase().charCodeAt(0) : 0
})

export function readWords(text: string): Words {
  return NON_ASCII.test(text) ? readAny(text) : readAscii(text)
}

/** Without a regular expression, because this runs on every text that is analysed. */
function readAscii(text: string): Words {
  // The words are packed in place: they never get longer.
  const bytes = new TextEncoder().encode(text)
  const ends = new Int32Array((text.length >> 1) + 1)
  let count = 0
  let length = 0
  let isInside = 0
  // Without branches, which no processor predicts at the ends of words.
  for (let at = 0; at < bytes.length; at += 1) {
    const code = ASCII_LOWER[bytes[at] ?? 0] ?? 0
    const isWord = (code + 0xff) >>> 8
    bytes[length] = code | ((isWord ^ 1) * SPACE)
    ends[count] = length
    count += isInside & (isWord ^ 1)
    length += isWord | isInside
    isInside = isWord
  }
  ends[count] = length
  count += isInside
  const starts = new Int32Array(count)
  for (let index = 1; index < count; index += 1) starts[index] = (ends[index - 1] ?? 0) + 1
  let joined: string | undefined
  const at = (index: number): string => {
    joined ??= new TextDecoder().decode(bytes)
    return joined.slice(starts[index], ends[index])
  }
  return { count, isAscii: true, bytes, starts, ends, at }
}

function readAny(text: string): Words {
  // Word by word: the lower case of a sigma depends on its neighbours.
  const words = Array.from(text.matchAll(WORD), ([word]) => word.toLowerCase())
  const bytes = new TextEncoder().encode(words.join(' '))
  const starts = new Int32Array(words.length)
  const ends = new Int32Array(words.length)
  let from = 0
  for (let index = 0; index < words.length; index += 1) {
    const space = bytes.indexOf(SPACE, from)
    starts[index] = from
    ends[index] = space < 0 ? bytes.length : space
    from = space + 1
  }
  const at = (index: number): string => words[index] ?? ''
  return { count: words.length, isAscii: false, bytes, starts, ends, at }
}
