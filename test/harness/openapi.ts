export type Schema = Readonly<Record<string, unknown>>

/** Returns the schema that a reference in the OpenAPI document points to, or the schema itself. */
export function resolveSchema(document: object, schema: Schema = {}): Schema {
  const { components } = document as { components: { schemas: Record<string, Schema> } }
  const name = String(schema['$ref'] ?? '').replace('#/components/schemas/', '')
  return components.schemas[name] ?? schema
}
