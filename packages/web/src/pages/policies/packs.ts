import { sentenceCase } from '../../ui/marks.tsx'
import type { Owner } from './owner.ts'

/** The policies of the folder `packs`, each loaded when it is chosen. */
const FILES = import.meta.glob<string>('../../../../../packs/*/policy.yaml', {
  query: '?raw',
  import: 'default',
})

const nameOf = (path: string) => path.split('/').at(-2) ?? path

export const PACK_NAMES = Object.keys(FILES).map(nameOf).sort()

/** `ci-bot` is shown as "CI bot", and `mcp-filesystem` as "MCP filesystem". */
export function packLabel(name: string): string {
  return sentenceCase(name.replaceAll('-', '_')).replaceAll(/^(?:ci|mcp)\b/gi, (word) =>
    word.toUpperCase(),
  )
}

/** The text of a pack, with the scope of the policy that is edited. */
export async function fetchPack(name: string, scope: Owner['kind']): Promise<string> {
  const load = Object.entries(FILES).find(([path]) => nameOf(path) === name)?.[1]
  if (load === undefined) throw new Error(`There is no pack ${name}.`)
  return (await load()).replace(/^(\s+scope:) \w+$/m, `$1 ${scope}`)
}
