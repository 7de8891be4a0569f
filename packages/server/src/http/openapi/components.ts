type Json = Readonly<Record<string, unknown>>

/**
 * Moves every schema that has a title to `components.schemas` and leaves a reference in its place,
 * nested ones included. Runs on the finished document only: the schemas that requests are
 * validated with stay whole. Paths and schemas are sorted, so that the document does not depend on
 * the order in which features mount their routes.
 */
export function hoistSchemas<Document extends object>(document: Document): Document {
  const { components, ...rest } = document as { components?: Json }
  const schemas = new Map<string, { schema: Json; text: string }>()

  const add = (name: string, schema: Json): void => {
    const text = JSON.stringify(schema)
    const known = schemas.get(name)
    if (known === undefined) schemas.set(name, { schema, text })
    else if (known.text !== text) throw new Error(`two schemas are called ${name}`)
  }

  const hoist = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(hoist)
    if (typeof node !== 'object' || node === null) return node
    const entries = Object.entries(node).map(([key, value]) => [key, hoist(value)] as const)
    const { title, ...schema } = Object.fromEntries(entries)
    // A property called title is an object, not a text.
    if (typeof title !== 'string') return Object.fromEntries(entries)
    const { component, annotations } = split(schema)
    add(title, component)
    return { $ref: `#/components/schemas/${title}`, ...annotations }
  }

  // The title of the API itself is no schema's.
  const { info, ...described } = rest as { info?: unknown }
  const hoisted = hoist(described) as { paths?: Json }
  const named = [...schemas].map(([name, { schema }]) => [name, schema] as const)
  return {
    ...document,
    info,
    ...hoisted,
    paths: sorted(Object.entries(hoisted.paths ?? {})),
    components: { ...components, schemas: sorted(named) },
  }
}

function sorted(entries: readonly (readonly [string, unknown])[]): Json {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** An enum is used in many places, each with a description and a default of its own. */
function split(schema: Json): { component: Json; annotations: Json } {
  if (!('enum' in schema)) return { component: schema, annotations: {} }
  const { description, default: usual, ...component } = schema
  const annotations = {
    ...(description === undefined ? {} : { description }),
    ...(usual === undefined ? {} : { default: usual }),
  }
  return { component, annotations }
}
