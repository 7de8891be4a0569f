import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isJsonObject } from '@touchstone/protocol/base'
import { CliError } from './cli-error.ts'

/** What "touchstone login" keeps, in one file that only its owner can read. */
export type SavedLogin = { url: string; apiKey: string; orgId: string | undefined }

export async function readLogin(file: string): Promise<SavedLogin | undefined> {
  const text = await readIfThere(file)
  if (text === undefined) return undefined
  const saved = parsed(text)
  const { url, api_key: apiKey, org_id: orgId } = isJsonObject(saved) ? saved : {}
  if (typeof url !== 'string' || typeof apiKey !== 'string') {
    throw new CliError('config', `${file} is not what "touchstone login" writes. Log in again.`)
  }
  return { url, apiKey, orgId: typeof orgId === 'string' ? orgId : undefined }
}

/** Written beside and renamed, so that a reader sees all of it or what was there before. */
export async function saveLogin(file: string, login: SavedLogin): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const content = { url: login.url, api_key: login.apiKey, org_id: login.orgId }
  const beside = `${file}.${process.pid}`
  await writeFile(beside, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  await chmod(beside, 0o600)
  await rename(beside, file)
}

/** Whether there was one. */
export async function removeLogin(file: string): Promise<boolean> {
  const isThere = (await readIfThere(file)) !== undefined
  await rm(file, { force: true })
  return isThere
}

/** Whether others than the owner can read it; Windows keeps no such bits. */
export async function isOpenToOthers(file: string): Promise<boolean> {
  if (process.platform === 'win32') return false
  const { mode } = await stat(file)
  return (mode & 0o077) !== 0
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (err) {
    if (err instanceof Error && 'code' in err && err.code === 'ENOENT') return undefined
    throw err
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
