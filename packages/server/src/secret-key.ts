import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { ConfigError } from './config-reader.ts'
import { isMigrated } from './postgres/migrate.ts'

/** The key that seals stored secrets: SECRET_KEY, or in embedded mode one next to the data. */
export async function openSecretKey(
  { secretKey, databaseUrl, dataDir }: Config,
  connectionString: string,
): Promise<Buffer> {
  if (secretKey !== undefined) return secretKey
  if (databaseUrl !== undefined) {
    throw new ConfigError(
      'DATABASE_URL needs SECRET_KEY, the same on every node. Create one: openssl rand -base64 32',
    )
  }
  const file = join(dataDir, 'secret.key')
  if (!existsSync(file)) {
    if (await isMigrated(connectionString)) {
      throw new ConfigError(
        `${file} is missing. The database is sealed with it: put it back, or set SECRET_KEY to its content.`,
      )
    }
    await writeFile(file, `${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600 })
  }
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64')
  if (key.length !== 32) throw new Error(`${file} does not contain 32 bytes as base64.`)
  return key
}
