import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { eventually } from './eventually.ts'

/** The match in the last mail to this address that has one, in a service's data folder. */
export async function mailed(
  dir: string,
  to: string,
  pattern: RegExp,
): Promise<string | undefined> {
  const outbox = join(dir, 'outbox')
  const listed = await readdir(outbox).catch(() => [])
  const files = listed.filter((name) => name.endsWith('.eml')).sort()
  const mails = await Promise.all(files.map((name) => readFile(join(outbox, name), 'utf8')))
  const found = mails
    .filter((text) => text.includes(to))
    // Quoted-printable encoding breaks long lines with a trailing "=".
    .flatMap((text) => pattern.exec(text.replaceAll(/=\r?\n/g, ''))?.[0] ?? [])
  return found.at(-1)
}

/** Waits for a match other than the one `before`. */
export async function nextMailed(
  dir: string,
  to: string,
  pattern: RegExp,
  before?: string,
): Promise<string> {
  let token: string | undefined
  await eventually(async () => {
    token = await mailed(dir, to, pattern)
    expect(token).toBeDefined()
    expect(token).not.toBe(before)
  })
  return token ?? ''
}
