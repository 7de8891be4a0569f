/** The lines of a file as they are read, so that a long one is never held as a whole twice. */
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

/** The first line, or undefined where there is none within the limit. */
export async function firstLineOf(file: Blob, bytesMax: number): Promise<string | undefined> {
  const text = await file.slice(0, bytesMax).text()
  const end = text.indexOf('\n')
  if (end !== -1) return text.slice(0, end)
  return file.size <= bytesMax ? text : undefined
}
