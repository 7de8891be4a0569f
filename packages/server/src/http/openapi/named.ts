import { Type } from 'typebox'

/**
 * A named schema becomes a component of the OpenAPI document, so that generated clients have a type
 * of that name. The name is the `title` of the schema, which validation ignores. Two different
 * schemas with the same name are an error.
 */
export function NamedObject<Properties extends Type.TProperties>(
  name: string,
  properties: Properties,
  options: Type.TObjectOptions = {},
): Type.TObject<Properties> {
  return Type.Object(properties, { ...options, title: name })
}

/** The description and the default belong to the field that uses the enum, not to the component. */
export function NamedEnum<Values extends (string | number)[]>(
  name: string,
  values: readonly [...Values],
  options: Type.TSchemaOptions = {},
): Type.TEnum<Values> {
  return Type.Enum(values, { ...options, title: name })
}
