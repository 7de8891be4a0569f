import { Type } from 'typebox'

/**
 * Schemas with a name become components of the OpenAPI document, so that generated clients get a
 * type of that name. The name is the schema's `title`, which validation ignores. It must be unique
 * in the document: two shapes of one name are an error.
 */
export function NamedObject<Properties extends Type.TProperties>(
  name: string,
  properties: Properties,
  options: Type.TObjectOptions = {},
): Type.TObject<Properties> {
  return Type.Object(properties, { ...options, title: name })
}

/** A description or a default belongs to the field that uses the enum, not to the component. */
export function NamedEnum<Values extends (string | number)[]>(
  name: string,
  values: readonly [...Values],
  options: Type.TSchemaOptions = {},
): Type.TEnum<Values> {
  return Type.Enum(values, { ...options, title: name })
}
