import { DOMParser } from '@xmldom/xmldom'

/**
 * Strict parsing of untrusted XML: no DTD and therefore no entities, nothing the parser would have to
 * repair, and limits on depth and size.
 */
export type ParsedXml = { ok: true; root: Element } | { ok: false; reason: string }

/** Far more than metadata and assertions need. */
const DEPTH_MAX = 50
/** Canonicalisation is quadratic in the number of namespaces of a tag. Applies to comments, too. */
const MARKUP_LENGTH_MAX = 8192

const ELEMENT_NODE = 1
const TEXT_NODE = 3
const CDATA_NODE = 4
const COMMENT_NODE = 8

export function parseXml(text: string, elementsMax: number): ParsedXml {
  // The parser accepts DOCTYPE in any letter case, so this check ignores case, too.
  if (/<!doctype|<!entity/i.test(text)) return refused('document types (DTDs) are not accepted')
  if (isOversized(text, elementsMax))
    return refused('it is nested too deeply, or has too many or too large elements')
  try {
    const document = new DOMParser({ errorHandler: throwError }).parseFromString(text, 'text/xml')
    const root: Element | null | undefined = document?.documentElement
    return root ? { ok: true, root } : refused('it is not XML')
  } catch {
    return refused('it is not well-formed XML')
  }
}

/** The bytes as text, or `undefined` if they are not valid UTF-8 or contain NUL. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/**
 * Scans the text before it is parsed, because the parser is quadratic in the depth. If this scan and
 * the parser could disagree, the document is malformed and the parser throws.
 */
function isOversized(text: string, elementsMax: number): boolean {
  let depth = 0
  let elements = 0
  for (let at = text.indexOf('<'); at >= 0; ) {
    const end = endOfMarkup(text, at)
    if (end < 0) return false
    const kind = kindOfMarkup(text, at, end)
    if (kind === 'end') depth -= 1
    if (kind === 'start') depth += 1
    if (kind === 'start' || kind === 'empty') elements += 1
    if (depth > DEPTH_MAX || elements > elementsMax || end - at > MARKUP_LENGTH_MAX) return true
    at = text.indexOf('<', end)
  }
  return false
}

function kindOfMarkup(text: string, at: number, end: number): 'start' | 'end' | 'empty' | 'other' {
  const next = text.charAt(at + 1)
  if (next === '!' || next === '?') return 'other'
  if (next === '/') return 'end'
  return text.charAt(end - 2) === '/' ? 'empty' : 'start'
}

/** The index after a tag, comment, CDATA section or instruction; -1 if it does not end. */
function endOfMarkup(text: string, at: number): number {
  if (text.startsWith('<!--', at)) return indexAfter(text, '-->', at + 4)
  if (text.startsWith('<![CDATA[', at)) return indexAfter(text, ']]>', at)
  if (text.startsWith('<?', at)) return indexAfter(text, '?>', at)
  const edge = /["'>]/g
  edge.lastIndex = at
  for (let hit = edge.exec(text); hit !== null; hit = edge.exec(text)) {
    if (hit[0] === '>') return hit.index + 1
    // A > within quotes does not end the tag.
    const close = text.indexOf(hit[0], hit.index + 1)
    if (close < 0) return -1
    edge.lastIndex = close + 1
  }
  return -1
}

function indexAfter(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found < 0 ? -1 : found + mark.length
}

/** Throws even for warnings: two parsers may repair a malformed document in different ways. */
function throwError(_level: string, message: unknown): never {
  throw new Error(String(message))
}

function refused(reason: string): ParsedXml {
  return { ok: false, reason }
}

export const SAML = 'urn:oasis:names:tc:SAML:2.0:assertion'
export const SAMLP = 'urn:oasis:names:tc:SAML:2.0:protocol'
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
export const XMLDSIG = 'http://www.w3.org/2000/09/xmldsig#'

export function isNamed(element: Element, namespace: string, name: string): boolean {
  return element.namespaceURI === namespace && element.localName === name
}

export function elementsOf(parent: Element): Element[] {
  return nodesOf(parent).filter(isElement)
}

export function childrenNamed(parent: Element, namespace: string, name: string): Element[] {
  return elementsOf(parent).filter((child) => isNamed(child, namespace, name))
}

/** This element and all its descendants, in document order. */
export function everyElement(root: Element): Element[] {
  const found: Element[] = []
  const waiting = [root]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    found.push(next)
    waiting.push(...elementsOf(next).reverse())
  }
  return found
}

/** True if it contains only elements and text: no comments, CDATA sections or instructions. */
export function isPlain(root: Element): boolean {
  return everyElement(root).every((element) =>
    nodesOf(element).every((node) => isElement(node) || node.nodeType === TEXT_NODE),
  )
}

/**
 * The whole text of an element that contains only text, or `undefined`. Comments are skipped and the
 * text after them included, so that a comment cannot truncate a name.
 */
export function textOf(element: Element): string | undefined {
  const nodes = nodesOf(element).filter((node) => node.nodeType !== COMMENT_NODE)
  if (!nodes.every(isText)) return undefined
  return nodes
    .map((node) => node.nodeValue ?? '')
    .join('')
    .trim()
}

/** An attribute without a namespace; `undefined` if absent or empty. */
export function attributeOf(element: Element, name: string): string | undefined {
  const value = element.getAttribute(name)
  return value ? value : undefined
}

function nodesOf(parent: Element): Node[] {
  const nodes: Node[] = []
  for (let node = parent.firstChild; node; node = node.nextSibling) nodes.push(node)
  return nodes
}

function isElement(node: Node): node is Element {
  return node.nodeType === ELEMENT_NODE
}

function isText(node: Node): boolean {
  return node.nodeType === TEXT_NODE || node.nodeType === CDATA_NODE
}
