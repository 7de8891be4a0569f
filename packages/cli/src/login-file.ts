import { chmod, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isJsonObject } from '@touchstone/protocol/base'
import { CliError } from './cli-error.ts'
import { readIfExists } from './optional-file.ts'
import { parseJson } from './parse-json.ts'

/** The login that "touchstone login" saves, in a file that only its owner can read. */
export type SavedLogin = { url: string; apiKey: string; orgId: string | undefined }

export async function readLogin(file: string): Promise<SavedLogin | undefined> {
  const text = await readIfExists(file)
  if (text === undefined) return undefined
  const saved = parseJson(text)
  const { url, api_key: apiKey, org_id: orgId } = isJsonObject(saved) ? saved : {}
  if (typeof url !== 'string' || typeof apiKey !== 'string') {
    throw new CliError(
      'config',
      `${file}: not a valid login file. Log in again with "touchstone login".`,
    )
  }
  return { url, apiKey, orgId: typeof orgId === 'string' ? orgId : undefined }
}

/** Writes a temporary file and renames it, so that a reader never sees a partial file. */
export async function saveLogin(file: string, login: SavedLogin): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const content = { url: login.url, api_key: login.apiKey, org_id: login.orgId }
  const temporary = `${file}.${process.pid}`
  await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  await chmod(temporary, 0o600)
  await rename(temporary, file)
}

/** Returns whether there was a saved login. */
export async function removeLogin(file: string): Promise<boolean> {
  const exists = (await readIfExists(file)) !== undefined
  await rm(file, { force: true })
  return exists
}

/**
 * Whether group or others have any permission on the file; always false on Windows, which has no such
 * bits.
 */
export async function isAccessibleByOthers(file: string): Promise<boolean> {
  if (process.platform === 'win32') return false
  const { mode } = await stat(file)
  return (mode & 0o077) !== 0
}
