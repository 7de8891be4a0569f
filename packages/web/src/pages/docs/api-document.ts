import { useQuery } from '@tanstack/react-query'

/** The parts of JSON Schema that the API uses. */
export type Schema = {
  $ref?: string
  type?: string
  description?: string
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  additionalProperties?: boolean | Schema
}

type Content = Readonly<Record<string, { schema?: Schema }>>

export type Parameter = {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

export type Operation = {
  operationId: string
  summary: string
  description: string
  tags: readonly string[]
  parameters?: readonly Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Readonly<Record<string, { description: string; content?: Content }>>
  security: readonly unknown[]
}

export type ApiDocument = {
  info: { version: string; description: string }
  servers: readonly { url: string }[]
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { schemas: Readonly<Record<string, Schema>> }
}

export type Endpoint = { method: string; path: string; operation: Operation }

/** The OpenAPI document of this service. */
export function useApiDocument() {
  return useQuery({
    queryKey: ['openapi'],
    queryFn: async (): Promise<ApiDocument> => {
      const answer = await fetch('/openapi.json')
      if (!answer.ok) throw new Error(`The service answered ${answer.status}. Try again.`)
      return answer.json()
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function endpointsOf({ paths }: ApiDocument, tag: string): Endpoint[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** The name of the schema that a reference points to. */
export function refName($ref: string): string {
  return $ref.split('/').at(-1) ?? $ref
}

/** The type of a value in a few words, such as "array of Decision" or "string or null". */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return refName(schema.$ref)
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}`
  return schema.type ?? 'any value'
}

/** The limits of a value, in words: also those of its alternatives and of the items of a list. */
export function limitsOf(schema: Schema): string[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, items, anyOf } = schema
  const ofItems = items === undefined ? [] : limitsOf(items)
  const own = [
    range(minLength, maxLength, 'characters'),
    range(minimum, maximum, ''),
    range(minItems, maxItems, 'items'),
    schema.format,
    schema.enum === undefined ? undefined : schema.enum.map((value) => String(value)).join(', '),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ].filter((limit) => limit !== undefined)
  const all = [...own, ...(anyOf ?? []).flatMap(limitsOf), ...ofItems.map((one) => `each ${one}`)]
  return [...new Set(all)]
}

function range(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  if (min === undefined && max === undefined) return undefined
  const numbers =
    max === undefined
      ? `at least ${min}`
      : min === undefined
        ? `at most ${max}`
        : `${min} to ${max}`
  return `${numbers} ${unit}`.trim()
}
