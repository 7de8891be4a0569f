import type { FastifyInstance } from 'fastify'

type Entry = { pattern: RegExp; methods: Set<string>; isPublicGet: boolean }

export type RouteTable = { entries: Entry[]; isPublicGet(url: string): boolean }

/** Records the methods of each path, to distinguish 405 from 404. */
export function createRouteTable(app: FastifyInstance): RouteTable {
  const byPath = new Map<string, Entry>()
  const table: RouteTable = {
    entries: [],
    isPublicGet: (url) => matchingEntries(table, url).some((entry) => entry.isPublicGet),
  }
  app.addHook('onRoute', (route) => {
    const entry = byPath.get(route.url) ?? newEntry(table, byPath, route.url)
    for (const method of [route.method].flat()) entry.methods.add(method)
    if (route.method === 'GET' && route.config?.access === 'public') entry.isPublicGet = true
  })
  return table
}

function newEntry(table: RouteTable, byPath: Map<string, Entry>, url: string): Entry {
  const source = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z_]+/g, '[^/]+')
  const entry = {
    pattern: new RegExp(`^${source}$`),
    methods: new Set<string>(),
    isPublicGet: false,
  }
  byPath.set(url, entry)
  table.entries.push(entry)
  return entry
}

function matchingEntries(table: RouteTable, url: string): Entry[] {
  const path = url.split('?', 1)[0] ?? ''
  return table.entries.filter((entry) => entry.pattern.test(path))
}

export function allowedMethods(table: RouteTable, url: string): string[] {
  const methods = matchingEntries(table, url).flatMap((entry) => [...entry.methods])
  return [...new Set(methods)].sort()
}
