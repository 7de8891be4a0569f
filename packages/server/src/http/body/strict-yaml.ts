import { isUtf8 } from 'node:buffer'
import type { JsonResult } from '@touchstone/protocol/base'
import { Composer, CST, type Document, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml'
import { parseStrictJson } from './strict-json.ts'

/** For all YAML bodies (spec: governance §1.4); cards are smaller. */
export const YAML_BYTES_MAX = 262_144
const DEPTH_MAX = 16
const NODES_MAX = 20_000
/** Ample for the allowed nodes; without it, parsing empty lines alone takes half a second. */
const LINES_MAX = 50_000

/**
 * Parses the subset of YAML that corresponds to JSON: one document, string keys, no directives,
 * anchors, aliases or tags, so that nothing expands. The value must satisfy the rules for JSON bodies.
 *
 * The limits are checked on tokens, before the tree is built, because building it is recursive and
 * takes more than linear time for some invalid texts.
 */
export function parseStrictYaml(bytes: Buffer): JsonResult {
  if (!isUtf8(bytes)) return { ok: false, reason: 'not valid UTF-8' }
  const text = bytes.toString('utf8')
  if (hasTooManyLines(text)) return { ok: false, reason: `more than ${LINES_MAX} lines` }
  const { tokens, defect } = readTokens(text)
  if (defect !== undefined) return { ok: false, reason: defect }
  const [document, ...more] = new Composer(OPTIONS).compose(tokens)
  if (document === undefined || more.length > 0) return { ok: false, reason: ONE_DOCUMENT }
  const reason = documentDefect(document, text)
  if (reason !== undefined) return { ok: false, reason }
  const value: unknown = document.toJS({ maxAliasCount: 0 })
  return parseStrictJson(Buffer.from(JSON.stringify(value)))
}

const OPTIONS = {
  version: '1.2',
  schema: 'core',
  // The check of the library is quadratic; `keyDefect` uses a set.
  uniqueKeys: false,
  strict: true,
  logLevel: 'silent',
} as const

const ONE_DOCUMENT = 'YAML must be exactly one document'
const TOO_DEEP = `nested deeper than ${DEPTH_MAX} levels`
const TOO_MANY = `more than ${NODES_MAX} nodes`

type Tokens = { tokens: CST.Token[]; defect: string | undefined }

function hasTooManyLines(text: string): boolean {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return lines > LINES_MAX
}

function readTokens(text: string): Tokens {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  const check = createLexemeCheck()
  for (const lexeme of new Lexer().lex(text)) {
    let defect = check(lexeme)
    for (const token of parser.next(lexeme)) {
      defect ??= tokenDefect(token, text)
      tokens.push(token)
    }
    // The stack also contains the document, and possibly a scalar.
    if (parser.stack.length > DEPTH_MAX + 2) defect ??= TOO_DEEP
    if (defect !== undefined) return { tokens, defect }
  }
  tokens.push(...parser.end())
  return { tokens, defect: undefined }
}

type Limit = { max: number; reason: string }

/**
 * INVARIANT: neither count exceeds the number of nodes, because each start begins a node and each
 * indicator introduces one, possibly empty. So no text within the limit is rejected.
 */
const STARTS: Limit = { max: NODES_MAX, reason: TOO_MANY }
const INDICATORS: Limit = { max: NODES_MAX, reason: TOO_MANY }
const POINTERS: Limit = { max: 0, reason: 'anchors and aliases are not accepted' }

/** Limits by type of lexeme; types with the same limit are counted together. */
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

function createLexemeCheck(): (lexeme: string) => string | undefined {
  const counts = new Map<Limit, number>()
  let isContent = false
  return (lexeme) => {
    const type = isContent ? 'content' : (CST.tokenType(lexeme) ?? 'unknown')
    // The lexer emits a marker before the text of a plain or block scalar.
    isContent = type === 'scalar'
    const limit = LIMITS[type]
    if (limit === undefined) return undefined
    const count = (counts.get(limit) ?? 0) + 1
    counts.set(limit, count)
    return count > limit.max ? limit.reason : undefined
  }
}

function tokenDefect(token: CST.Token, text: string): string | undefined {
  if (token.type === 'error') return describeFault(token.message, token.offset, text)
  // Other versions of YAML interpret some texts differently.
  if (token.type !== 'directive' || /^%YAML[ \t]+1\.2[ \t]*$/.test(token.source)) return undefined
  return 'directives are not accepted, except %YAML 1.2'
}

function documentDefect(document: Document.Parsed, text: string): string | undefined {
  const fault = document.errors[0] ?? document.warnings[0]
  if (fault !== undefined) return describeFault(fault.message, fault.pos[0], text)
  return nodeDefect(document.contents, { depth: 0, seen: { nodes: 0 } })
}

type Place = { depth: number; seen: { nodes: number } }

function nodeDefect(node: unknown, at: Place): string | undefined {
  if (++at.seen.nodes > NODES_MAX) return TOO_MANY
  if (isScalar(node)) {
    const isNumber = typeof node.value === 'number'
    return isNumber && !Number.isFinite(node.value) ? 'a number must be finite' : undefined
  }
  if (!isMap(node) && !isSeq(node)) return undefined
  if (at.depth === DEPTH_MAX) return TOO_DEEP
  const inside = { depth: at.depth + 1, seen: at.seen }
  return isMap(node) ? mapDefect(node.items, inside) : firstDefect(node.items, inside)
}

function firstDefect(nodes: readonly unknown[], at: Place): string | undefined {
  for (const node of nodes) {
    const defect = nodeDefect(node, at)
    if (defect !== undefined) return defect
  }
  return undefined
}

function mapDefect(
  pairs: readonly { key: unknown; value: unknown }[],
  at: Place,
): string | undefined {
  const keys = new Set<string>()
  for (const { key, value } of pairs) {
    const defect = firstDefect([key, value], at) ?? keyDefect(key, keys)
    if (defect !== undefined) return defect
  }
  return undefined
}

function keyDefect(key: unknown, keys: Set<string>): string | undefined {
  if (!isScalar(key) || typeof key.value !== 'string') return 'a key must be a string'
  if (keys.has(key.value)) return 'duplicate key in a map'
  keys.add(key.value)
  return undefined
}

function describeFault(message: string, offset: number, text: string): string {
  const line = text.slice(0, offset).split('\n').length
  return `line ${line}: ${message.slice(0, 200)}`
}
