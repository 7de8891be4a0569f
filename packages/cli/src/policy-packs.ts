import { existsSync } from 'node:fs'

/** Policies to start from, by the kind of agent. Each is a folder of `packs` with a policy and its tests. */
export const POLICY_PACKS = [
  { name: 'browser-agent', summary: 'uses a browser' },
  { name: 'ci-bot', summary: 'runs in a pipeline, where nobody can answer' },
  { name: 'coding-agent', summary: 'writes code on a developer’s machine' },
  { name: 'customer-support', summary: 'answers customers and refunds small amounts' },
  { name: 'data-analyst', summary: 'answers questions from a database' },
  { name: 'devops', summary: 'operates infrastructure' },
  { name: 'email-assistant', summary: 'sorts a mailbox and drafts replies' },
  { name: 'finance-ops', summary: 'prepares payments and books' },
  { name: 'mcp-filesystem', summary: 'uses the MCP filesystem server' },
  { name: 'research', summary: 'searches, reads and summarises' },
] as const

/** The files of every pack. */
export const PACK_FILES = ['policy.yaml', 'tests.yaml'] as const

/** Beside dist in the npm package, in the root folder of a clone. */
const FOLDER =
  [new URL('../packs/', import.meta.url)].find(existsSync) ??
  new URL('../../../packs/', import.meta.url)

export function packFile(pack: string, file: (typeof PACK_FILES)[number]): URL {
  return new URL(`${pack}/${file}`, FOLDER)
}
