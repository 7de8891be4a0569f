/** Limits the search for objects, since a text with more openings is not a reply. */
const OPENINGS_MAX = 20

export type FoundReply = { ok: true; json: unknown } | { ok: false; fault: string }

/**
 * Finds the JSON object in a model's reply, with or without text around it. Objects that lack a
 * required member are skipped. Two complete objects are refused: one of them may be quoted from
 * the text under analysis.
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

/** The outermost objects in order, up to one that is truncated: the rest is part of it. */
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

/** The index where the brace at `from` is closed, ignoring braces within strings. */
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
