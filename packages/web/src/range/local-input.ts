/** A time as `datetime-local` inputs show it, in the reader's time zone. */
export function toLocalInput(at: string | undefined): string {
  if (at === undefined) return ''
  const time = new Date(at)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The time in a `datetime-local` input; undefined if the input is empty. */
export function fromLocalInput(text: string): string | undefined {
  return text === '' ? undefined : new Date(text).toISOString()
}
