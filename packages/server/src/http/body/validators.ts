import { parseInstant } from '@touchstone/protocol/base'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'

/**
 * Bodies are taken as they are: "5" is not 5. Query and path arrive as text, so numbers and
 * booleans are read from it there.
 */
export function createValidators(): FastifySchemaCompiler<object> {
  return ({ schema, httpPart }) => {
    const validate = (httpPart === 'body' ? body : text).compile(schema)
    return (value) => (validate(value) ? { value } : { error: toError(validate.errors) })
  }
}

/** One of each per process: Ajv caches by schema, so a second server compiles nothing again. */
const body = createAjv({})
const text = createAjv({ coerceTypes: true })

function createAjv(options: Ajv.Options): Ajv.default {
  const ajv = new Ajv.default({ useDefaults: true, allErrors: false, strict: false, ...options })
  addFormats.default(ajv)
  // spec: evidence §0 takes any ISO 8601 instant, the stock format only those of RFC 3339.
  ajv.addFormat('date-time', (given: string) => parseInstant(given) !== undefined)
  return ajv
}

/** Fastify recognises validation failures by this property. */
function toError(errors: Ajv.ErrorObject[] | null | undefined): Error {
  return Object.assign(new Error('validation failed'), { validation: errors ?? [] })
}
