import { readFile } from 'node:fs/promises'
import { isCode } from './system-error.ts'

/** Undefined if there is no such file. */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (err) {
    if (isCode(err, 'ENOENT')) return undefined
    throw err
  }
}
