import { isAlias, isNode, isScalar, parseAllDocuments, visit } from 'yaml'
import { type JsonResult, parseStrictJson } from './strict-json.ts'

/**
 * YAML as a way to write JSON, and no more: one document, no anchors, aliases or tags, so that
 * nothing grows when it is read. What it says is held to the same rules as a JSON body.
 */
export function parseStrictYaml(bytes: Buffer): JsonResult {
  const text = bytes.toString('utf8')
  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: true,
    strict: true,
    logLevel: 'silent',
  })
  const document = documents[0]
  if (!Array.isArray(documents) || documents.length !== 1 || document === undefined) {
    return { ok: false, reason: 'YAML must be exactly one document' }
  }
  const fault = document.errors[0] ?? document.warnings[0]
  if (fault !== undefined) return { ok: false, reason: firstLine(fault.message) }
  let refused: string | undefined
  visit(document, (_key, node) => {
    refused = refusalOf(node)
    return refused === undefined ? undefined : visit.BREAK
  })
  if (refused !== undefined) return { ok: false, reason: refused }
  const value: unknown = document.toJS({ maxAliasCount: 0 })
  return parseStrictJson(Buffer.from(JSON.stringify(value) ?? 'null'))
}

function refusalOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (isAlias(node) || ('anchor' in node && node.anchor !== undefined)) {
    return 'anchors and aliases are not accepted'
  }
  if (node.tag !== undefined) return 'tags are not accepted'
  if (isScalar(node) && typeof node.value === 'number' && !Number.isFinite(node.value)) {
    return 'a number must be finite'
  }
  return undefined
}

function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? 'not valid YAML').slice(0, 200)
}
