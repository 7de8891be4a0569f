/** A route as the OpenAPI document describes it. */
export type DocumentedRoute = {
  method: string
  path: string
  access: string
  /** The names of its query parameters. */
  queries: string[]
}

export function documentedRoutes(document: unknown): DocumentedRoute[] {
  const { paths } = document as { paths: Record<string, Record<string, Record<string, unknown>>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => ({
      method: method.toUpperCase(),
      path,
      access: String(route['x-access']),
      queries: ((route['parameters'] ?? []) as { in: string; name: string }[])
        .filter((parameter) => parameter.in === 'query')
        .map(({ name }) => name),
    })),
  )
}
