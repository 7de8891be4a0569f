import { readFile } from 'node:fs/promises'
import type { Plugin } from 'vite'
import { parseDocument, sectionsOf } from './parse-document.ts'

type Spec = { paths: Record<string, Record<string, SpecOperation>> }
type SpecOperation = { operationId: string; summary: string; tags: readonly string[] }

/** The parts of a document that the build keeps, by the query of its import. */
const EXTRACTS: Readonly<Record<string, (text: string) => unknown>> = {
  title: (text) => parseDocument(text).title,
  sections: (text) => sectionsOf(parseDocument(text)),
  operations: (text) => operationsOf(JSON.parse(text)),
}

/** Imports `file.md?title`, `file.md?sections` and `openapi.json?operations`. */
export function documentsPlugin(): Plugin {
  return {
    name: 'documents',
    enforce: 'pre',
    async load(id) {
      const [file = '', query = ''] = id.split('?')
      const extract = EXTRACTS[query]
      if (extract === undefined) return undefined
      this.addWatchFile(file)
      const code = `export default ${JSON.stringify(extract(await readFile(file, 'utf8')))}`
      return { code, moduleType: 'js' }
    },
  }
}

function operationsOf({ paths }: Spec) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, tags }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      summary,
      tag: tags[0] ?? '',
    })),
  )
}
