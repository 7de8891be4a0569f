import Ajv, { type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'

type Document = { paths?: Record<string, Record<string, unknown>> }
type Operation = { responses?: Record<string, { content?: Record<string, { schema?: object }> }> }

export type Conformity = (method: string, url: string, status: number, body: unknown) => void

const DOCUMENT = 'openapi.json'

/**
 * Checks responses against the OpenAPI document. An undocumented status, or a body that does not
 * match its schema, fails the test that received it.
 */
export function createConformity(document: object): Conformity {
  const ajv = new Ajv.default({ strict: false, allErrors: true })
  addFormats.default(ajv)
  // Compiles schemas at their place in the document, so that their references resolve.
  ajv.addSchema(document, DOCUMENT, undefined, false)
  const paths = Object.entries((document as Document).paths ?? {}).map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
    path,
    operations,
  }))
  const compiled = new Map<string, ValidateFunction>()
  const validatorOf = (...place: string[]) => {
    const $ref = `${DOCUMENT}#/${place.map(pointerPart).join('/')}`
    const known = compiled.get($ref) ?? ajv.compile({ $ref })
    compiled.set($ref, known)
    return known
  }
  return (method, url, status, body) => {
    const path = url.split('?', 1)[0] ?? ''
    const verb = method.toLowerCase()
    // A literal path takes precedence over one with parameters, as in the router.
    const found = paths
      .filter((candidate) => candidate.pattern.test(path))
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
      .find((candidate) => verb in candidate.operations)
    if (found === undefined || body === undefined) return
    const operation = found.operations[verb] as Operation
    const response = operation.responses?.[String(status)]
    if (response === undefined) {
      throw new Error(`${method} ${found.path} answered ${status}, which it does not document`)
    }
    if (response.content?.['application/json']?.schema === undefined) return
    const place = ['paths', found.path, verb, 'responses', String(status)]
    const validate = validatorOf(...place, 'content', 'application/json', 'schema')
    if (validate(body)) return
    throw new Error(
      `${method} ${found.path} ${status} does not match its schema: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 500)}`,
    )
  }
}

/** Escapes a key for a JSON pointer in a URI fragment (RFC 6901, section 6). */
function pointerPart(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
}
