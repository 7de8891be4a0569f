import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'

/**
 * Bodies are taken as they are: "5" is not 5. Query and path arrive as text, so numbers and
 * booleans are read from it there.
 */
export function createValidators(): FastifySchemaCompiler<object> {
  const shared = { useDefaults: true, allErrors: false, strict: false } as const
  const body = new Ajv.default(shared)
  const text = new Ajv.default({ ...shared, coerceTypes: true })
  addFormats.default(body)
  addFormats.default(text)
  return ({ schema, httpPart }) => {
    const validate = (httpPart === 'body' ? body : text).compile(schema)
    return (value) => (validate(value) ? { value } : { error: toError(validate.errors) })
  }
}

/** Fastify recognises validation failures by this property. */
function toError(errors: Ajv.ErrorObject[] | null | undefined): Error {
  return Object.assign(new Error('validation failed'), { validation: errors ?? [] })
}
