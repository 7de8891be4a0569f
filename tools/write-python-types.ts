import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Writes the generated files of the Python SDK from docs/api/openapi.json: the named schemas as
 * TypedDicts, and the list of POSTs that take no idempotency key. With --check it writes nothing and
 * fails if a committed file is stale.
 */

const DOCUMENT = 'docs/api/openapi.json'
const TYPES = 'packages/python/src/touchstone/types.py'
const KEYLESS = 'packages/python/src/touchstone/_keyless_posts.py'
const FIRST_LINE = '"""Written by tools/write-python-types.ts from docs/api/openapi.json."""\n'

type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
}
type Operation = { parameters?: { in: string; name: string }[] }
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** A definition, and the names in its text that must be defined before it. */
type Definition = { name: string; text: string }

const document: Document = JSON.parse(readFileSync(DOCUMENT, 'utf8'))
const files = new Map([
  [TYPES, typesModule(document.components.schemas)],
  [KEYLESS, keylessModule(document)],
])
if (process.argv.includes('--check')) check()
else for (const [file, text] of files) writeFileSync(file, text)

function typesModule(schemas: Record<string, Schema>): string {
  const definitions = Object.entries(schemas).flatMap(([name, schema]) => define(name, schema))
  const names = definitions.map(({ name }) => name).filter((name) => !name.startsWith('_'))
  return [
    FIRST_LINE,
    'from __future__ import annotations\n',
    'from typing import Any, Literal, TypedDict, Union\n',
    `__all__ = [\n${names.map((name) => `    "${name}",\n`).join('')}]\n`,
    ...definitions.map(({ text }) => `\n${text}`),
  ].join('\n')
}

/** An object becomes a TypedDict, anything else an alias. */
function define(name: string, schema: Schema): Definition[] {
  if (schema.properties !== undefined) return defineObject(name, schema)
  return [{ name, text: `${name} = ${typeOf(schema, name, [])}\n` }]
}

/**
 * Optional members are those of a class that extends the required ones: NotRequired came with Python
 * 3.11. The functional syntax, because members may be named like keywords.
 */
function defineObject(name: string, { properties = {}, required = [] }: Schema): Definition[] {
  const nested: Definition[] = []
  const members = (wanted: boolean) =>
    Object.entries(properties)
      .filter(([key]) => required.includes(key) === wanted)
      .map(([key, member]) => {
        const type = typeOf(member, `${name}_${key.replace(/\W/g, '_')}`, nested)
        return `    ${JSON.stringify(key)}: ${quoted(type)},\n`
      })
      .join('')
  const [present, absent] = [members(true), members(false)]
  const dict = (of: string, body: string, total: string) =>
    `${of} = TypedDict("${of}", {\n${body}}${total})\n`
  if (absent === '') return [...nested, { name, text: dict(name, present, '') }]
  if (present === '') return [...nested, { name, text: dict(name, absent, ', total=False') }]
  const parts = [`_${name}Required`, `_${name}Optional`] as const
  return [
    ...nested,
    { name: parts[0], text: dict(parts[0], present, '') },
    { name: parts[1], text: dict(parts[1], absent, ', total=False') },
    { name, text: `class ${name}(${parts.join(', ')}):\n    pass\n` },
  ]
}

/** The type as Python text; objects within become definitions of their own. */
function typeOf(schema: Schema, name: string, nested: Definition[]): string {
  if (schema.$ref !== undefined) return `"${schema.$ref.replace('#/components/schemas/', '')}"`
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`
  if (schema.anyOf !== undefined) {
    const parts = schema.anyOf.map((part, index) =>
      typeOf(part, index === 0 ? name : `${name}_${index}`, nested),
    )
    return union(parts)
  }
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type) => typeOf({ ...schema, type }, name, nested)))
  }
  return typeOfKind(schema, name, nested)
}

function typeOfKind(schema: Schema, name: string, nested: Definition[]): string {
  switch (schema.type) {
    case 'string':
      return 'str'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'None'
    case 'array':
      return `list[${schema.items === undefined ? 'Any' : typeOf(schema.items, name, nested)}]`
    case 'object':
      return typeOfObject(schema, name, nested)
    default:
      return 'Any'
  }
}

function typeOfObject(schema: Schema, name: string, nested: Definition[]): string {
  if (schema.properties !== undefined) {
    nested.push(...defineObject(`_${name.replace(/^_/, '')}`, schema))
    return `"_${name.replace(/^_/, '')}"`
  }
  const { additionalProperties: values } = schema
  const hasType = typeof values === 'object' && Object.keys(values).length > 0
  return `dict[str, ${hasType ? typeOf(values, name, nested) : 'Any'}]`
}

function union(parts: readonly string[]): string {
  const distinct = [...new Set(parts)]
  const [only] = distinct
  return distinct.length === 1 && only !== undefined ? only : `Union[${distinct.join(', ')}]`
}

/** Forward references: a definition may name one that comes later. */
function quoted(type: string): string {
  return /"/.test(type) && !/Literal\[/.test(type) ? `"${type.replaceAll('"', '')}"` : type
}

function literal(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}

function keylessModule({ paths }: Document): string {
  const keyless = Object.entries(paths).flatMap(([path, { post }]) =>
    post === undefined || takesKey(post) ? [] : [path],
  )
  const lines = keyless.map((path) => `        "${path}",\n`).join('')
  const comment = '#: POSTs that ignore an idempotency key, so a retry may repeat the effect.\n'
  return `${FIRST_LINE}\n${comment}KEYLESS_POSTS = frozenset(\n    {\n${lines}    }\n)\n`
}

function takesKey({ parameters = [] }: Operation): boolean {
  return parameters.some(({ in: place, name }) => place === 'header' && name === 'Idempotency-Key')
}

function check(): void {
  const stale = [...files].filter(([file, text]) => readFileSync(file, 'utf8') !== text)
  for (const [file] of stale) process.stderr.write(`${file} is stale: run npm run sdk-types\n`)
  if (stale.length > 0) process.exit(1)
  process.stdout.write(`${files.size} files match ${DOCUMENT}\n`)
}
