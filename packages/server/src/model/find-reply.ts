/** Looking for more beginnings than this in a text that is no reply would only cost time. */
const OPENINGS_MAX = 20

export type FoundReply = { ok: true; json: unknown } | { ok: false; fault: string }

/**
 * The JSON object in what a model said, with or without words around it. Objects that lack a
 * member every reply has are passed over. Two that have them all are refused: one of them may be
 * a quotation from the very text that was to be judged.
 */
export function findReply(text: string, membersExpected: readonly string[]): FoundReply {
  const objects = objectsIn(text)
  const replies = objects.filter((json) =>
    membersExpected.every((name) => Object.hasOwn(json, name)),
  )
  if (replies.length > 1) return { ok: false, fault: 'there must be exactly one JSON object' }
  const [json = objects[0]] = replies
  return json === undefined
    ? { ok: false, fault: 'the reply must be a JSON object' }
    : { ok: true, json }
}

/** The outermost ones, in their order, up to one that breaks off: what follows is part of it. */
function objectsIn(text: string): object[] {
  const found: object[] = []
  let from = text.indexOf('{')
  for (let tried = 0; from >= 0 && tried < OPENINGS_MAX; tried += 1) {
    const to = endOfObject(text, from)
    if (to === undefined) break
    const json = parseObject(text.slice(from, to))
    if (json !== undefined) found.push(json)
    from = text.indexOf('{', json === undefined ? from + 1 : to)
  }
  return found
}

/** Where the braces opened at `from` are all closed again, those within strings not counted. */
function endOfObject(text: string, from: number): number | undefined {
  let depth = 0
  let inString = false
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]
    if (inString && character === '\\') at += 1
    else if (character === '"') inString = !inString
    else if (inString) continue
    else if (character === '{') depth += 1
    else if (character === '}') depth -= 1
    if (depth === 0) return at + 1
  }
  return undefined
}

function parseObject(text: string): object | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? json : undefined
  } catch {
    return undefined
  }
}
