import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/**
 * Writes what the SDK knows of the interface from docs/api/openapi.json: the types of its paths, and
 * which POSTs take no idempotency key. With --check it writes nothing and fails when what is
 * committed is not what the document gives.
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
  default(document: unknown): Promise<unknown>
  astToString(ast: unknown): string
}

// It needs a TypeScript of its own, which npm puts beside the package that asks for it.
const require = createRequire(new URL('../../packages/sdk/package.json', import.meta.url))
const generator: Generator = require('openapi-typescript')

const files = await filesOf(JSON.parse(readFileSync(DOCUMENT, 'utf8')))
if (process.argv.includes('--check')) check(files)
else for (const [file, text] of files) writeFileSync(file, text)

async function filesOf(document: Document): Promise<Map<string, string>> {
  const first = '// Written by tools/write-sdk-types.ts from docs/api/openapi.json.\n\n'
  const keyless = keylessPosts(document)
  const types = generator.astToString(await generator.default(slim(document)))
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
  return `/** POSTs that ignore an idempotency key, so that sending one twice may do it twice. */
export const KEYLESS_POSTS: readonly string[] = [\n${lines}\n]\n`
}

/**
 * Without the answers that are thrown as errors, and without headers, which the client sees to:
 * they are three quarters of the document.
 */
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
    process.stderr.write(`${file} is not what ${DOCUMENT} gives: npm run sdk-types\n`)
  }
  if (stale.length > 0) process.exit(1)
  process.stdout.write(`${wanted.size} files are what ${DOCUMENT} gives\n`)
}
