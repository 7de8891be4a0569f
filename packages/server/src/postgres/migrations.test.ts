import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const DIR = fileURLToPath(new URL('../../../../migrations', import.meta.url))
/** Earlier ones were applied before two releases ran side by side. */
const LAST_EXEMPT = '0126'

/** Statements that the nodes of the release before could not work with, or that stop writers. */
const CONTRACTING = [
  /drop (table|column|view|type)/,
  /rename (to|column)/,
  /alter column \w+ (type|set not null)/,
  /add column \w+ [^,;]*not null(?![^,;]*default)/,
]

async function readNew(): Promise<{ name: string; text: string; sql: string }[]> {
  const names = (await readdir(DIR)).filter((name) => name > LAST_EXEMPT && /\.sql$/.test(name))
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(DIR, name), 'utf8')
      return { name, text, sql: text.replace(/--.*/g, '').toLowerCase() }
    }),
  )
}

it('migrations leave what the last release needs, or say why nothing of it is affected', async () => {
  for (const { name, text, sql } of await readNew()) {
    const found = CONTRACTING.filter((pattern) => pattern.test(sql)).map(String)
    if (!/^-- compatible: \S/m.test(text)) expect({ name, found }).toEqual({ name, found: [] })
  }
})

it('migrations create indexes of existing tables concurrently', async () => {
  for (const { name, text, sql } of await readNew()) {
    const created = new Set([...sql.matchAll(/create table (\w+)/g)].map(([, table]) => table))
    const indexed = [...sql.matchAll(/create (?:unique )?index (?!concurrently)\w+\s+on (\w+)/g)]
    const blocked = indexed.map(([, table]) => table).filter((table) => !created.has(table))
    if (!/^-- compatible: \S/m.test(text)) expect({ name, blocked }).toEqual({ name, blocked: [] })
  }
})
