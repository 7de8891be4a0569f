import Ajv, { type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'

type Document = { paths?: Record<string, Record<string, unknown>> }
type Operation = { responses?: Record<string, { content?: Record<string, { schema?: object }> }> }

export type Conformity = (method: string, url: string, status: number, body: unknown) => void

/**
 * Compares answers with the OpenAPI document: an undocumented status or a body of another shape
 * than promised fails the test that saw it.
 */
export function createConformity(document: object): Conformity {
  const ajv = new Ajv.default({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const paths = Object.entries((document as Document).paths ?? {}).map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
    path,
    operations,
  }))
  const compiled = new Map<object, ValidateFunction>()
  const validatorOf = (schema: object) => {
    const known = compiled.get(schema) ?? ajv.compile(schema)
    compiled.set(schema, known)
    return known
  }
  return (method, url, status, body) => {
    const path = url.split('?', 1)[0] ?? ''
    // A literal path wins over one with parameters, as in the router.
    const found = paths
      .filter((candidate) => candidate.pattern.test(path))
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
      .find((candidate) => method.toLowerCase() in candidate.operations)
    if (found === undefined || body === undefined) return
    const operation = found.operations[method.toLowerCase()] as Operation
    const response = operation.responses?.[String(status)]
    if (response === undefined) {
      throw new Error(`${method} ${found.path} answered ${status}, which it does not document`)
    }
    const schema = response.content?.['application/json']?.schema
    if (schema === undefined) return
    const validate = validatorOf(schema)
    if (validate(body)) return
    throw new Error(
      `${method} ${found.path} ${status} answered another shape than documented: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 500)}`,
    )
  }
}
