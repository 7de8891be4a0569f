type Failure = {
  message: string
  details: readonly { path?: string | undefined; message?: string | undefined }[]
}

/** The messages of an error of the API by the field they are about, for the fields that are known. */
export function fieldErrors(
  { message, details }: Failure,
  fields: readonly string[],
): Map<string, string> {
  const found = new Map<string, string>()
  const add = (field: string | undefined, text: string) => {
    if (field === undefined || !fields.includes(field) || found.has(field)) return
    found.set(field, sentence(text))
  }
  for (const detail of details) {
    const [, field] = /^\/([^/]+)/.exec(detail.path ?? '') ?? []
    add(field, detail.message ?? message)
  }
  const [, field, text = ''] = /^([a-z_]+): (.+)$/s.exec(message) ?? []
  add(field, text)
  return found
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
