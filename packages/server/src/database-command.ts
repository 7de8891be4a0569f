import type { Config } from './config.ts'
import { openEmbedded } from './postgres/embedded.ts'
import { migrate } from './postgres/migrate.ts'

export type DatabaseCommand = {
  config: Config
  migrationsDir: string
  version: string
  print(line: string): void
}

/** Applies pending migrations without serving, so that nodes can start with MIGRATE_AT_START=off. */
export async function migrateDatabase(command: DatabaseCommand): Promise<void> {
  const { config, version, migrationsDir: dir, print } = command
  const url = config.databaseDirectUrl ?? config.databaseUrl
  const work = async (connectionString: string) => {
    const onApplied = (name: string) => print(`Applied ${name}`)
    await migrate({ connectionString, dir, version, onApplied })
    print(`The database is ready for version ${version}.`)
  }
  if (url !== undefined) return work(url)
  const embedded = await openEmbedded(config.dataDir, () => undefined)
  try {
    await work(embedded.connectionString)
  } finally {
    await embedded.stop()
  }
}
