/** Texts of one block: few enough to join again when one changes, many enough to search at once. */
const BLOCK_TEXTS = 1024

/** No stored text contains it, so nothing is found across two. */
const SEPARATOR = '\0'

type Block = {
  texts: string[]
  /** The texts in one, and where each ends; made when it is searched. */
  joined: { text: string; ends: Uint32Array } | undefined
}

/** Finds all texts that contain another one. They are numbered from 0 without a gap. */
export function createTextBlocks() {
  const blocks: Block[] = []
  return {
    /** Several texts under one number are found each by itself. */
    set(number: number, ...texts: readonly string[]): void {
      const at = Math.floor(number / BLOCK_TEXTS)
      const block = blocks[at] ?? { texts: [], joined: undefined }
      block.texts[number % BLOCK_TEXTS] = texts.join(SEPARATOR)
      block.joined = undefined
      blocks[at] = block
    },

    /** One mark per number: whether a text of it contains the wanted one. */
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
