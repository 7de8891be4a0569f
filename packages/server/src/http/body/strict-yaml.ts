import { isUtf8 } from 'node:buffer'
import { Composer, CST, type Document, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml'
import { type JsonResult, parseStrictJson } from './strict-json.ts'

/** spec: governance §1.4. One rule for all YAML: a card, which is smaller, fits too. */
export const YAML_BYTES_MAX = 262_144
const DEPTH_MAX = 16
const NODES_MAX = 20_000
/** More than anybody writes for so many nodes; empty lines alone would take half a second to read. */
const LINES_MAX = 50_000

/**
 * YAML as a way to write JSON, and no more: one document, string keys, no directives, anchors,
 * aliases or tags, so that nothing grows when it is read. What it says is held to the same rules
 * as a JSON body.
 *
 * The limits are judged token by token, before the tree is built: building it recurses, and takes
 * more than linear time for some texts that are no YAML.
 */
export function parseStrictYaml(bytes: Buffer): JsonResult {
  if (!isUtf8(bytes)) return { ok: false, reason: 'not valid UTF-8' }
  const text = bytes.toString('utf8')
  if (hasTooManyLines(text)) return { ok: false, reason: `more than ${LINES_MAX} lines` }
  const { tokens, refusal } = readTokens(text)
  if (refusal !== undefined) return { ok: false, reason: refusal }
  const [document, ...more] = new Composer(OPTIONS).compose(tokens)
  if (document === undefined || more.length > 0) return { ok: false, reason: ONE_DOCUMENT }
  const reason = refusalOfDocument(document, text)
  if (reason !== undefined) return { ok: false, reason }
  const value: unknown = document.toJS({ maxAliasCount: 0 })
  return parseStrictJson(Buffer.from(JSON.stringify(value)))
}

const OPTIONS = {
  version: '1.2',
  schema: 'core',
  // The library compares each key with each other one; `keyRefusal` asks a set.
  uniqueKeys: false,
  strict: true,
  logLevel: 'silent',
} as const

const ONE_DOCUMENT = 'YAML must be exactly one document'
const TOO_DEEP = `nested deeper than ${DEPTH_MAX} levels`
const TOO_MANY = `more than ${NODES_MAX} nodes`

type Tokens = { tokens: CST.Token[]; refusal: string | undefined }

function hasTooManyLines(text: string): boolean {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return lines > LINES_MAX
}

function readTokens(text: string): Tokens {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  const judge = createLexemeJudge()
  for (const lexeme of new Lexer().lex(text)) {
    let refusal = judge(lexeme)
    for (const token of parser.next(lexeme)) {
      refusal ??= refusalOfToken(token, text)
      tokens.push(token)
    }
    // Besides what is nested, the document and a scalar may be open.
    if (parser.stack.length > DEPTH_MAX + 2) refusal ??= TOO_DEEP
    if (refusal !== undefined) return { tokens, refusal }
  }
  tokens.push(...parser.end())
  return { tokens, refusal: undefined }
}

type Limit = { max: number; reason: string }

/**
 * INVARIANT: a text has no fewer nodes than either count of them, as each start is a node and each
 * indicator leads to one of its own, if only an empty one. So no text within the limit is refused.
 */
const STARTS: Limit = { max: NODES_MAX, reason: TOO_MANY }
const INDICATORS: Limit = { max: NODES_MAX, reason: TOO_MANY }
const POINTERS: Limit = { max: 0, reason: 'anchors and aliases are not accepted' }

/** How many lexemes of these types there may be; those of one limit are counted together. */
const LIMITS: Readonly<Record<string, Limit>> = {
  scalar: STARTS,
  'single-quoted-scalar': STARTS,
  'double-quoted-scalar': STARTS,
  'flow-map-start': STARTS,
  'flow-seq-start': STARTS,
  comma: INDICATORS,
  'explicit-key-ind': INDICATORS,
  'map-value-ind': INDICATORS,
  'seq-item-ind': INDICATORS,
  anchor: POINTERS,
  alias: POINTERS,
  tag: { max: 0, reason: 'tags are not accepted' },
  'doc-start': { max: 1, reason: ONE_DOCUMENT },
  'doc-end': { max: 1, reason: ONE_DOCUMENT },
}

function createLexemeJudge(): (lexeme: string) => string | undefined {
  const counts = new Map<Limit, number>()
  let isContent = false
  return (lexeme) => {
    const type = isContent ? 'content' : (CST.tokenType(lexeme) ?? 'unknown')
    // The lexer announces a plain or block scalar by a mark, then gives its text.
    isContent = type === 'scalar'
    const limit = LIMITS[type]
    if (limit === undefined) return undefined
    const count = (counts.get(limit) ?? 0) + 1
    counts.set(limit, count)
    return count > limit.max ? limit.reason : undefined
  }
}

function refusalOfToken(token: CST.Token, text: string): string | undefined {
  if (token.type === 'error') return faultAt(token.message, token.offset, text)
  // Another version of YAML would read the same text as other values.
  if (token.type !== 'directive' || /^%YAML[ \t]+1\.2[ \t]*$/.test(token.source)) return undefined
  return 'directives are not accepted, except %YAML 1.2'
}

function refusalOfDocument(document: Document.Parsed, text: string): string | undefined {
  const fault = document.errors[0] ?? document.warnings[0]
  if (fault !== undefined) return faultAt(fault.message, fault.pos[0], text)
  return refusalOfNode(document.contents, { depth: 0, seen: { nodes: 0 } })
}

type Place = { depth: number; seen: { nodes: number } }

function refusalOfNode(node: unknown, at: Place): string | undefined {
  if (++at.seen.nodes > NODES_MAX) return TOO_MANY
  if (isScalar(node)) {
    const isNumber = typeof node.value === 'number'
    return isNumber && !Number.isFinite(node.value) ? 'a number must be finite' : undefined
  }
  if (!isMap(node) && !isSeq(node)) return undefined
  if (at.depth === DEPTH_MAX) return TOO_DEEP
  const inside = { depth: at.depth + 1, seen: at.seen }
  return isMap(node) ? refusalOfMap(node.items, inside) : firstRefusal(node.items, inside)
}

function firstRefusal(nodes: readonly unknown[], at: Place): string | undefined {
  for (const node of nodes) {
    const refusal = refusalOfNode(node, at)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function refusalOfMap(
  pairs: readonly { key: unknown; value: unknown }[],
  at: Place,
): string | undefined {
  const keys = new Set<string>()
  for (const { key, value } of pairs) {
    const refusal = firstRefusal([key, value], at) ?? keyRefusal(key, keys)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function keyRefusal(key: unknown, keys: Set<string>): string | undefined {
  if (!isScalar(key) || typeof key.value !== 'string') return 'a key must be a string'
  if (keys.has(key.value)) return 'a key is given twice in one map'
  keys.add(key.value)
  return undefined
}

function faultAt(message: string, offset: number, text: string): string {
  const line = text.slice(0, offset).split('\n').length
  return `line ${line}: ${message.slice(0, 200)}`
}
