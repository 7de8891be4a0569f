import { Type } from 'typebox'
import type { RouteRules } from '../access/route-rules.ts'
import { NamedObject } from './named.ts'

/** The body of most errors; see `error-map.ts`. */
export const Problem = NamedObject(
  'Problem',
  {
    error: Type.String({ description: 'A stable error code' }),
    message: Type.String({ description: 'A description of the error' }),
    details: Type.Optional(
      Type.Array(
        NamedObject('ProblemDetail', {
          path: Type.Optional(Type.String({ description: 'JSON pointer to the field' })),
          code: Type.Optional(Type.String()),
          message: Type.Optional(Type.String()),
        }),
      ),
    ),
  },
  { description: 'An error' },
)

const TextProblem = NamedObject(
  'TextProblem',
  { error: Type.String({ description: 'A description of the error' }) },
  { description: 'An error of the teams endpoints' },
)

const RpcProblem = NamedObject(
  'RpcProblem',
  {
    code: Type.Integer({ description: 'A google.rpc.Code' }),
    message: Type.String(),
    error: Type.String({ description: 'A stable error code' }),
  },
  { description: 'An error as google.rpc.Status' },
)

const MEANING: Readonly<Record<number, string>> = {
  400: 'A parameter is missing or invalid',
  401: 'The credential is missing, invalid or expired',
  402: 'The plan does not include this feature',
  403: 'Your role, the scope of your key or your plan does not allow this',
  404: 'A resource that the request names does not exist, or you cannot see it',
  409: 'The current state does not allow this, or the same request is still running',
  410: 'Expired or already used',
  412: 'Changed since you read it',
  413: 'The body is too large',
  415: 'The media type is not supported',
  422: 'A rule forbids this, or the Idempotency-Key was used with a different request',
  429: 'Too many requests; retry after Retry-After seconds',
  500: 'An internal error',
  502: 'An upstream system did not answer',
  503: 'Not ready; retry after Retry-After seconds',
}

/** The error response of a route with this path. */
export function errorResponse(
  status: number,
  url: string,
  envelope: RouteRules['envelope'],
): { description: string; content: object } {
  const schema = envelope === 'rpc' ? RpcProblem : envelope === 'text' ? TextProblem : Problem
  const description = (status === 404 && missing(url)) || MEANING[status] || 'An error'
  return { description, content: { 'application/json': { schema } } }
}

/** Names the resources in the path: one of them does not exist, or the caller cannot see it. */
function missing(url: string): string | undefined {
  const named = [...url.matchAll(/[{:](\w+)_id\b/g)].map(([, name = '']) => nounOf(name))
  return named.length === 0 ? undefined : `No such ${named.join(' or ')}, or you cannot see it`
}

function nounOf(parameter: string): string {
  return parameter === 'org' ? 'organisation' : parameter.replaceAll('_', ' ')
}

/** A description by status and schema, for routes that give none. */
export function describeResponse(status: string, name: string | undefined): string {
  if (name === undefined) return 'Success'
  const thing = subjectOf(name)
  if (status === '201') return `Created: ${thing}`
  if (status === '202') return `Accepted: ${thing}`
  return thing.charAt(0).toUpperCase() + thing.slice(1)
}

function subjectOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(' ')
    .map((word) => WORDS[word] ?? word.toLowerCase())
  if (words.at(-1) !== 'page') return `the ${words.join(' ')}`
  return `a page of ${plural(words.slice(0, -1).join(' '))}`
}

const WORDS: Readonly<Record<string, string>> = {
  Api: 'API',
  Sso: 'SSO',
  Rpc: 'RPC',
  Jwk: 'JWK',
  Org: 'organisation',
}

function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`
  return /(s|x|ch)$/.test(noun) ? `${noun}es` : `${noun}s`
}
