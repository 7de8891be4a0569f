/** Texts per block: few enough to rejoin when one changes, many enough to search in one pass. */
const BLOCK_TEXTS = 1024

/** PostgreSQL texts cannot contain NUL, so nothing matches across two texts. */
const SEPARATOR = '\0'

type Block = {
  texts: string[]
  /** The joined texts and the end of each; built lazily by a search. */
  joined: { text: string; ends: Uint32Array } | undefined
}

/** Substring search over texts that are numbered from 0 without gaps. */
export function createTextIndex() {
  const blocks: Block[] = []
  return {
    /** Sets the texts under one number; each is matched separately. */
    set(number: number, ...texts: readonly string[]): void {
      const at = Math.floor(number / BLOCK_TEXTS)
      const block = blocks[at] ?? { texts: [], joined: undefined }
      block.texts[number % BLOCK_TEXTS] = texts.join(SEPARATOR)
      block.joined = undefined
      blocks[at] = block
    },

    /** One mark per number: 1 if one of its texts contains `wanted`. */
    matching(wanted: string): Uint8Array {
      const marks = new Uint8Array(blocks.length * BLOCK_TEXTS)
      if (wanted.includes(SEPARATOR)) return marks
      for (const [at, block] of blocks.entries()) {
        block.joined ??= join(block.texts)
        markBlock(block.joined, wanted, marks.subarray(at * BLOCK_TEXTS))
      }
      return marks
    },
  }
}

function join(texts: readonly string[]): { text: string; ends: Uint32Array } {
  const ends = new Uint32Array(texts.length)
  let end = 0
  for (const [at, text] of texts.entries()) {
    end += text.length + SEPARATOR.length
    ends[at] = end
  }
  return { text: texts.join(SEPARATOR), ends }
}

function markBlock(
  { text, ends }: { text: string; ends: Uint32Array },
  wanted: string,
  marks: Uint8Array,
): void {
  let at = 0
  let found = text.indexOf(wanted)
  while (found !== -1) {
    while ((ends[at] ?? Number.POSITIVE_INFINITY) <= found) at += 1
    marks[at] = 1
    const next = ends[at] ?? text.length
    found = next < text.length ? text.indexOf(wanted, next) : -1
  }
}
