type Json = Readonly<Record<string, unknown>>

type OpenApiParts = { components?: object; info?: object; paths?: object }

/**
 * Moves every schema with a title, including nested ones, to `components.schemas` and replaces it
 * by a reference. Applied to the finished document only, so validation uses the full schemas. Paths
 * and schemas are sorted, so that the document does not depend on the order of mounted routes.
 */
export function hoistSchemas<Document extends OpenApiParts>(document: Document): Document {
  const schemas = new Map<string, { schema: Json; text: string }>()

  const add = (name: string, schema: Json): void => {
    const text = JSON.stringify(schema)
    const known = schemas.get(name)
    if (known === undefined) schemas.set(name, { schema, text })
    else if (known.text !== text) throw new Error(`two different schemas are named ${name}`)
  }

  const hoist = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(hoist)
    if (typeof node !== 'object' || node === null) return node
    const entries = Object.entries(node).map(([key, value]) => [key, hoist(value)] as const)
    const { title, ...schema } = Object.fromEntries(entries)
    // A property named title is an object, not a string.
    if (typeof title !== 'string') return Object.fromEntries(entries)
    const { component, annotations } = split(schema)
    add(title, component)
    return { $ref: `#/components/schemas/${title}`, ...annotations }
  }

  const hoistEach = (fields: object): [string, unknown][] =>
    Object.entries(fields).map(([key, value]) => [key, hoist(value)])

  // The title in `info` is that of the API, not of a schema.
  const { components, info, paths = {}, ...rest } = document
  const hoisted = Object.fromEntries(hoistEach(rest))
  const hoistedPaths = hoistEach(paths)
  const named = [...schemas].map(([name, { schema }]) => [name, schema] as const)
  return {
    ...document,
    info,
    ...hoisted,
    paths: sorted(hoistedPaths),
    components: { ...components, schemas: sorted(named) },
  }
}

function sorted(entries: readonly (readonly [string, unknown])[]): Json {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Separates the description and the default of an enum, which differ between its uses. */
function split(schema: Json): { component: Json; annotations: Json } {
  if (!('enum' in schema)) return { component: schema, annotations: {} }
  const { description, default: defaultValue, ...component } = schema
  const annotations = {
    ...(description === undefined ? {} : { description }),
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
  }
  return { component, annotations }
}
