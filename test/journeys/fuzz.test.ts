import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { resolveSchema, type Schema } from '#harness/openapi.ts'

type Operation = {
  requestBody?: { content?: Record<string, { schema?: Schema }> }
  parameters?: { name: string; in: string }[]
}

const CASES = 200

let t: TestApp
let routes: { method: string; path: string; operation: Operation }[]
let tokens: string[]

beforeAll(async () => {
  t = await testApp()
  const document = t.app.openapi() as { paths: Record<string, Record<string, Operation>> }
  routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
  // A separate account, because a fuzzed request may delete it.
  const person = await t.newUser('fuzz@example.com', { orgId: t.first.org_id, role: 'admin' })
  tokens = [t.first.api_key, person.token, await t.ownerToken(), 'nonsense', '']
})

/** Texts that are known to break parsers, queries and encodings. */
const nasty = fc.constantFrom(
  '',
  ' ',
  '\u0000',
  '\ud800',
  '%00',
  '%',
  '%ff',
  "' or 1=1 --",
  '../../etc/passwd',
  '{{7*7}}',
  '__proto__',
  'constructor',
  'NaN',
  '-1',
  '1e309',
  '9223372036854775808',
  '2026-02-30T00:00:00Z',
  '2026-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  'a@b',
  'x'.repeat(300),
  '\u202e\ufeff',
  'İ@ﬀ.example',
)
const text = fc.oneof(
  nasty,
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const scalar = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null))
const anything = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 4 }),
  fc.dictionary(text, scalar, { maxKeys: 4 }),
  fc.jsonValue({ maxDepth: 4 }),
)

/** Bodies close to the schema: each known field is valid, invalid or missing. */
function bodyFor(schema: Schema | undefined): fc.Arbitrary<unknown> {
  const { properties: fields = {} } = resolveSchema(t.app.openapi(), schema)
  const properties = Object.entries(fields as Record<string, Schema>)
  const record = fc.record(
    Object.fromEntries(properties.map(([name, field]) => [name, valueFor(field)])),
    { requiredKeys: [] },
  )
  return fc.oneof({ weight: 4, arbitrary: record }, { weight: 1, arbitrary: anything })
}

function valueFor(declared: Schema): fc.Arbitrary<unknown> {
  const field = resolveSchema(t.app.openapi(), declared)
  const likely: fc.Arbitrary<unknown>[] = [anything]
  const choices = field['enum'] ?? (field['const'] === undefined ? undefined : [field['const']])
  if (Array.isArray(choices)) likely.push(fc.constantFrom(...choices))
  if (field['type'] === 'string') likely.push(text, fc.constant('fuzz-value'), fc.emailAddress())
  if (field['type'] === 'integer') likely.push(fc.integer(), fc.constant(1))
  if (field['type'] === 'boolean') likely.push(fc.boolean())
  return fc.oneof(...likely)
}

function requestFor(route: (typeof routes)[number]) {
  const schema = route.operation.requestBody?.content?.['application/json']?.schema
  const names = (route.operation.parameters ?? []).filter((p) => p.in === 'query')
  return fc.record({
    ids: fc.infiniteStream(fc.oneof(nasty, fc.constant(t.first.org_id), text)),
    query: fc.record(Object.fromEntries(names.map((p) => [p.name, text])), { requiredKeys: [] }),
    token: fc.constantFrom(...tokens),
    body: fc.oneof(
      { weight: 5, arbitrary: bodyFor(schema).map(jsonOf) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    ),
    headers: fc.record(
      {
        'idempotency-key': text,
        'x-org-id': text,
        'x-request-id': text,
        'if-none-match': text,
        'x-impersonate-token': text,
        'content-type': fc.constantFrom('application/json', 'text/plain', 'application/xml', ''),
        'x-forwarded-for': text,
        traceparent: text,
      },
      { requiredKeys: [] },
    ),
  })
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

/** Replaces characters that a client cannot send in a header. */
function wireHeaders(headers: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    (value ?? '').replace(/[^\x20-\x7e]/g, '?'),
  ])
  return Object.fromEntries(entries)
}

describe('every route', () => {
  it(`answers ${CASES} hostile requests without a 5xx status or a stack trace`, async () => {
    const seen = new Map<number, number>()
    for (const route of routes) {
      const property = fc.asyncProperty(requestFor(route), async (request) => {
        const ids = request.ids[Symbol.iterator]()
        const path = route.path.replace(/\{[^}]+\}/g, () => encoded(String(ids.next().value)))
        const query = new URLSearchParams(
          Object.entries(request.query).map(([name, value]): [string, string] => [
            name,
            value ?? '',
          ]),
        )
        const headers = wireHeaders({
          ...(request.token === '' ? {} : { authorization: `Bearer ${request.token}` }),
          ...request.headers,
        })
        const answer = await t.app.server.inject({
          method: route.method as 'GET',
          url: `${path}${query.size > 0 ? `?${query}` : ''}`,
          headers,
          ...(route.method === 'GET' ? {} : { payload: request.body }),
        })
        seen.set(answer.statusCode, (seen.get(answer.statusCode) ?? 0) + 1)
        expect(answer.statusCode, `${route.method} ${path}: ${answer.payload}`).toBeLessThan(500)
        expect(answer.payload).not.toMatch(/\bat .*\.(ts|js):\d+/)
      })
      await fc.assert(property, { numRuns: CASES })
    }
    // Guards against a fuzzer whose requests never get past authentication.
    expect(seen.get(400) ?? 0).toBeGreaterThan(CASES)
    expect(seen.get(200) ?? 0).toBeGreaterThan(CASES)
  }, 600_000)
})

/** Encodes a path segment as a client would; an empty segment would match another route. */
function encoded(id: string): string {
  return encodeURIComponent(Buffer.from(id).toString()) || '-'
}
