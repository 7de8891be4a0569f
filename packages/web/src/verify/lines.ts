/** Streams the lines of a file, so that a large file is never decoded in memory as a whole. */
export async function* linesOf(file: Blob): AsyncGenerator<string> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    const parts = (rest + value).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
  yield rest
}

/** The first line, or undefined if it exceeds the limit. */
export async function firstLineOf(file: Blob, bytesMax: number): Promise<string | undefined> {
  const text = await file.slice(0, bytesMax).text()
  const end = text.indexOf('\n')
  if (end !== -1) return text.slice(0, end)
  return file.size <= bytesMax ? text : undefined
}
