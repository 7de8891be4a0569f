import { DOMParser } from '@xmldom/xmldom'

/**
 * XML as strangers send it, read without any of XML's freedoms: no document type, so no entities;
 * nothing the parser had to guess; nothing deep or large enough to be a burden.
 */
export type ParsedXml = { ok: true; root: Element } | { ok: false; reason: string }

/** Far beyond what metadata and assertions need. */
const DEPTH_MAX = 50
/** Canonical forms take time quadratic in the namespaces of one tag. Comments are held to it too. */
const MARKUP_LENGTH_MAX = 8192

const ELEMENT_NODE = 1
const TEXT_NODE = 3
const CDATA_NODE = 4
const COMMENT_NODE = 8

export function parseXml(text: string, elementsMax: number): ParsedXml {
  // The parser would read a document type in any case, so the guard is just as generous.
  if (/<!doctype|<!entity/i.test(text)) return refused('document types (DTDs) are not accepted')
  if (isOversized(text, elementsMax))
    return refused('it is nested too deeply, or has too many or too large elements')
  try {
    const document = new DOMParser({ errorHandler: giveUp }).parseFromString(text, 'text/xml')
    const root: Element | null | undefined = document?.documentElement
    return root ? { ok: true, root } : refused('it is not XML')
  } catch {
    return refused('it is not well-formed XML')
  }
}

/** The bytes as text, unless they are in another encoding than UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/**
 * Judged in the text, before a tree is built: the parser needs time quadratic in the depth. Where
 * this walk and the parser could disagree, the document is malformed and the parser gives up.
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

/** The place behind a tag, comment, CDATA section or instruction; -1 when it never ends. */
function endOfMarkup(text: string, at: number): number {
  if (text.startsWith('<!--', at)) return behind(text, '-->', at + 4)
  if (text.startsWith('<![CDATA[', at)) return behind(text, ']]>', at)
  if (text.startsWith('<?', at)) return behind(text, '?>', at)
  const edge = /["'>]/g
  edge.lastIndex = at
  for (let hit = edge.exec(text); hit !== null; hit = edge.exec(text)) {
    if (hit[0] === '>') return hit.index + 1
    // Within quotes a > ends nothing.
    const close = text.indexOf(hit[0], hit.index + 1)
    if (close < 0) return -1
    edge.lastIndex = close + 1
  }
  return -1
}

function behind(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found < 0 ? -1 : found + mark.length
}

/** What other parsers warn of and mend is where two readers of one document begin to differ. */
function giveUp(_level: string, message: unknown): never {
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

/** Every element below and including this one, in document order. */
export function everyElement(root: Element): Element[] {
  const found: Element[] = []
  const waiting = [root]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    found.push(next)
    waiting.push(...elementsOf(next).reverse())
  }
  return found
}

/** True when there is nothing within but elements and text: no comments, no instructions. */
export function isPlain(root: Element): boolean {
  return everyElement(root).every((element) =>
    nodesOf(element).every((node) => isElement(node) || node.nodeType === TEXT_NODE),
  )
}

/**
 * The whole text of an element that holds text only, or `undefined`. A comment within is stepped
 * over: the text goes on behind it, so it cannot cut a name short.
 */
export function textOf(element: Element): string | undefined {
  const nodes = nodesOf(element).filter((node) => node.nodeType !== COMMENT_NODE)
  if (!nodes.every(isText)) return undefined
  return nodes
    .map((node) => node.nodeValue ?? '')
    .join('')
    .trim()
}

/** An attribute without a namespace; `undefined` when absent or empty. */
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
