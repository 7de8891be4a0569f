import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/**
 * Writes the generated files of the SDK from docs/api/openapi.json: the types of schemas and paths,
 * and the list of POSTs that take no idempotency key. With --check it writes nothing and fails if a
 * committed file is stale.
 */

const DOCUMENT = 'docs/api/openapi.json'
const TYPES = 'packages/sdk/src/api.ts'
const KEYLESS = 'packages/sdk/src/keyless-posts.ts'

type Parameter = { in: string; name: string }
type Operation = {
  parameters?: Parameter[]
  responses: Record<string, { description: string; headers?: unknown }>
}
type Document = { paths: Record<string, Record<string, Operation>> }

type Generator = {
  default(document: unknown, options: object): Promise<unknown>
  astToString(ast: unknown): string
}

// Resolved from the SDK, where npm installs it with the version of TypeScript that it needs.
const require = createRequire(new URL('../../packages/sdk/package.json', import.meta.url))
const generator: Generator = require('openapi-typescript')

/** A field with a default is optional in a request, so it must not become required. */
const OPTIONS = { defaultNonNullable: false }

const files = await filesOf(JSON.parse(readFileSync(DOCUMENT, 'utf8')))
if (process.argv.includes('--check')) check(files)
else for (const [file, text] of files) writeFileSync(file, text)

async function filesOf(document: Document): Promise<Map<string, string>> {
  const first = '// Written by tools/write-sdk-types.ts from docs/api/openapi.json.\n\n'
  const keyless = keylessPosts(document)
  const types = generator.astToString(await generator.default(slim(document), OPTIONS))
  return new Map([
    [TYPES, `${first}${types}`],
    [KEYLESS, `${first}${keylessModule(keyless)}`],
  ])
}

function keylessPosts({ paths }: Document): string[] {
  return Object.entries(paths).flatMap(([path, { post }]) =>
    post === undefined || takesKey(post) ? [] : [path],
  )
}

function takesKey({ parameters = [] }: Operation): boolean {
  return parameters.some(({ in: place, name }) => place === 'header' && name === 'Idempotency-Key')
}

function keylessModule(paths: readonly string[]): string {
  const lines = paths.map((path) => `  '${path}',`).join('\n')
  return `/** POSTs that ignore an idempotency key, so a retry may repeat the effect. */
export const KEYLESS_POSTS: readonly string[] = [\n${lines}\n]\n`
}

/** Drops error answers, which the client throws, and headers, which it sets itself. */
function slim({ paths, ...rest }: Document): Document {
  const items = Object.entries(paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, { parameters = [], ...operation }]) => {
      const answers = Object.entries(operation.responses)
        .filter(([status]) => status < '300')
        .map(([status, { headers: _, ...answer }]) => [status, { ...answer, description: '' }])
      const kept = parameters.filter((parameter) => parameter.in !== 'header')
      return [method, { ...operation, parameters: kept, responses: Object.fromEntries(answers) }]
    })
    return [path, Object.fromEntries(operations)]
  })
  return { ...rest, paths: Object.fromEntries(items) }
}

function check(wanted: ReadonlyMap<string, string>): void {
  const stale = [...wanted].filter(([file, text]) => readFileSync(file, 'utf8') !== text)
  for (const [file] of stale) {
    process.stderr.write(`${file} is stale: run npm run sdk-types\n`)
  }
  if (stale.length > 0) process.exit(1)
  process.stdout.write(`${wanted.size} files match ${DOCUMENT}\n`)
}
