import { parseInstant } from '@touchstone/protocol/base'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'

/**
 * Bodies are validated without coercion: "5" is not 5. Query and path parameters are text, so they
 * are coerced to numbers and booleans, and a repeatable parameter that is given once to a list.
 */
export function createValidators(): FastifySchemaCompiler<object> {
  return ({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? body : text
    let compiled: Ajv.ValidateFunction | undefined
    return (value) => {
      // Compiling all of them at start took half a second, and most routes are rarely called.
      compiled ??= ajv.compile(schema)
      return compiled(value) ? { value } : { error: toError(compiled.errors) }
    }
  }
}

/** For routes whose body a worker thread validates (see `RouteRules.parses`). */
export function createValidatorsButBody(): FastifySchemaCompiler<object> {
  const compile = createValidators()
  return (part) => (part.httpPart === 'body' ? (value) => ({ value }) : compile(part))
}

/** One instance per process: Ajv caches by schema, so another server reuses the validators. */
const body = createAjv({})
const text = createAjv({ coerceTypes: 'array' })

function createAjv(options: Ajv.Options): Ajv.default {
  const ajv = new Ajv.default({ useDefaults: true, allErrors: false, strict: false, ...options })
  addFormats.default(ajv)
  // Accepts any ISO 8601 instant (spec: evidence §0); the built-in format accepts RFC 3339 only.
  ajv.addFormat('date-time', (given: string) => parseInstant(given) !== undefined)
  return ajv
}

/** Fastify recognises validation failures by this property. */
function toError(errors: Ajv.ErrorObject[] | null | undefined): Error {
  return Object.assign(new Error('validation failed'), { validation: errors ?? [] })
}
