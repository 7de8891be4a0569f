import { parseInstant } from '@touchstone/protocol/base'
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
  for (const ajv of [body, text]) {
    addFormats.default(ajv)
    // 01 §0 takes any ISO 8601 instant, the stock format only those of RFC 3339.
    ajv.addFormat('date-time', (given: string) => parseInstant(given) !== undefined)
  }
  return ({ schema, httpPart }) => {
    const validate = (httpPart === 'body' ? body : text).compile(schema)
    return (value) => (validate(value) ? { value } : { error: toError(validate.errors) })
  }
}

/** Fastify recognises validation failures by this property. */
function toError(errors: Ajv.ErrorObject[] | null | undefined): Error {
  return Object.assign(new Error('validation failed'), { validation: errors ?? [] })
}
