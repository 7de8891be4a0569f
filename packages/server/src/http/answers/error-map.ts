import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { BatcherFull, BatcherStopped } from '../../kernel/batcher.ts'
import { isDatabaseDown, isTimeout } from '../../kernel/db.ts'
import { Problem, type ProblemDetail } from '../../kernel/problem.ts'
import type { RouteRules } from '../access/route-rules.ts'
import { isProtobuf } from '../body/body.ts'
import { rpcCodeOf, statusMessage } from './rpc-status.ts'

/** Converts any thrown value to a Problem; unexpected ones become `internal_error`. */
export function toProblem(err: unknown, requestId: string): Problem {
  if (err instanceof Problem) return err
  if (isFastifyError(err)) {
    const known = fromFastify(err)
    if (known !== undefined) return known
  }
  if (isTemporary(err)) return unavailable(err)
  return new Problem(
    'internal_error',
    `Internal error. Quote request ${requestId} when you report it.`,
    {
      cause: err,
    },
  )
}

/** True for errors after which the same request can succeed, here or on another process. */
function isTemporary(err: unknown): boolean {
  if (isDatabaseDown(err) || isTimeout(err)) return true
  return err instanceof BatcherFull || err instanceof BatcherStopped
}

export function unavailable(cause?: unknown): Problem {
  return new Problem('unavailable', 'The service is not ready. Retry in a few seconds.', {
    cause,
    headers: { 'retry-after': '5' },
  })
}

function isFastifyError(err: unknown): err is FastifyError {
  return err instanceof Error && ('validation' in err || 'statusCode' in err)
}

function fromFastify(err: FastifyError): Problem | undefined {
  if (err.validation !== undefined) return fromValidation(err)
  switch (err.statusCode) {
    case 413:
      return new Problem('payload_too_large', 'The body exceeds the size limit of this endpoint.')
    case 415:
      return new Problem('unsupported_media_type', 'Send the body as application/json.')
    case 414:
      // The path has a segment that is longer than any id.
      return new Problem('not_found', 'No such path.')
    case 400:
      return new Problem('invalid_request', 'The request is malformed.', { cause: err })
    default:
      return undefined
  }
}

function fromValidation(err: FastifyError): Problem {
  const part = err.validationContext ?? 'body'
  const details = (err.validation ?? []).map((issue): ProblemDetail => {
    const missing = issue.params['missingProperty']
    const path = `${issue.instancePath}${typeof missing === 'string' ? `/${missing}` : ''}`
    return { path, code: codeOf(issue.keyword), message: messageOf(issue) }
  })
  const first = details[0]
  const where = first === undefined || first.path === '' ? part : first.path.slice(1)
  const what =
    first?.code === 'required' ? 'is required' : shorten(first?.message ?? 'is not valid')
  return new Problem('invalid_request', `${where.slice(0, 200)}: ${what}`, { details })
}

const MESSAGE_LENGTH_MAX = 200

/** Cuts at a word boundary and marks the cut; the details have the full message. */
function shorten(message: string): string {
  if (message.length <= MESSAGE_LENGTH_MAX) return message
  return `${message.slice(0, MESSAGE_LENGTH_MAX).replace(/,?\s\S*$/, '')} …`
}

type Issue = NonNullable<FastifyError['validation']>[number]

function messageOf(issue: Issue): string {
  const choices = issue.params['allowedValues']
  if (Array.isArray(choices)) return `must be one of ${choices.join(', ')}`
  return issue.message ?? 'is not valid'
}

/** Maps keywords of Ajv to detail codes (spec: evidence §2.1). */
function codeOf(keyword: string): string {
  if (keyword === 'required' || keyword === 'type' || keyword === 'enum') return keyword
  if (keyword === 'pattern' || keyword === 'format') return 'pattern'
  if (keyword === 'uniqueItems') return 'duplicate'
  if (keyword === 'maxLength' || keyword === 'maxItems') return 'too_large'
  return keyword
}

/** Sends the problem in the envelope of the route. */
export function sendProblem(req: FastifyRequest, reply: FastifyReply, found: Problem): void {
  const { config } = req.routeOptions
  if (config.envelope === 'rpc' && isProtobuf(req)) {
    const problem = applyInvalidAs(config, found)
    reply.code(problem.status).headers(problem.headers)
    reply.header('content-type', 'application/x-protobuf').send(statusMessage(problem))
    return
  }
  const { status, headers, text } = toJsonResponse(config, found)
  reply.code(status).headers(headers).header('content-type', JSON_TYPE).send(text)
}

export const JSON_TYPE = 'application/json; charset=utf-8'

function toJsonResponse(rules: Partial<RouteRules>, found: Problem) {
  const problem = applyInvalidAs(rules, found)
  const text = JSON.stringify(bodyOf(problem, rules.envelope))
  return { status: problem.status, headers: problem.headers, text }
}

/** The body of an error that is part of a larger answer. */
export function problemBody(problem: Problem): object {
  return bodyOf(problem, undefined)
}

function bodyOf(problem: Problem, envelope: RouteRules['envelope']): object {
  const { code: error, message } = problem
  if (envelope === 'text') return { error: message }
  // Omits details, which have a different meaning in google.rpc.Status.
  if (envelope === 'rpc') return { code: rpcCodeOf(problem.status), error, message }
  const details = problem.details === undefined ? {} : { details: problem.details }
  return { error, message, ...problem.fields, ...details }
}

/** Replaces the code for invalid input if the route has its own (spec: risk §0). */
function applyInvalidAs({ invalidAs }: Partial<RouteRules>, problem: Problem): Problem {
  if (invalidAs === undefined || problem.code !== 'invalid_request') return problem
  const { cause, details, headers, fields } = problem
  return new Problem(invalidAs, problem.message, {
    cause,
    headers,
    fields,
    ...(details === undefined ? {} : { details }),
  })
}
