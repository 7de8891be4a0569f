import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type App, createApp } from './app.ts'
import type { Config } from './config.ts'
import { toEmail } from './http/wire.ts'
import { systemClock } from './kernel/clock.ts'
import { findRunning, openEmbedded } from './postgres/embedded.ts'
import { migrate } from './postgres/migrate.ts'
import { openSecretKey } from './secret-key.ts'
import { createLog } from './telemetry/log.ts'

export type AccountsCommand = {
  config: Config
  migrationsDir: string
  version: string
  email: string
  print(line: string): void
}

/** For a person who lost their codes. Works with or without a running service. */
export async function resetSecondFactor(command: AccountsCommand): Promise<void> {
  const email = toEmail(command.email)
  const reset = await onInstallation(command, (app) => app.resetSecondFactor(email))
  if (!reset.ok) throw new Error(`${email} has ${reset.reason}.`)
  command.print(
    `The second factor of ${email} was reset, and ${reset.sessionsEnded} sessions were ended. The password is now enough to sign in.`,
  )
}

async function onInstallation<T>(
  command: AccountsCommand,
  work: (app: App) => Promise<T>,
): Promise<T> {
  const { dataDir, databaseUrl } = command.config
  if (databaseUrl === undefined && !existsSync(join(dataDir, 'postgres'))) {
    throw new Error(`${dataDir} contains no data. Set DATA_DIR to the folder of the service.`)
  }
  const running = databaseUrl ?? (await findRunning(dataDir))
  if (running !== undefined) return onDatabase(command, running, work)
  const embedded = await openEmbedded(dataDir, () => undefined)
  try {
    const { connectionString } = embedded
    await migrate({ connectionString, dir: command.migrationsDir, version: command.version })
    return await onDatabase(command, connectionString, work)
  } finally {
    await embedded.stop()
  }
}

/** All features, of which none is started. */
async function onDatabase<T>(
  { config, version }: AccountsCommand,
  connectionString: string,
  work: (app: App) => Promise<T>,
): Promise<T> {
  const app = await createApp({
    config: { ...config, rateLimits: false, otlpEndpoint: undefined },
    connectionString,
    secretKey: await openSecretKey(config, connectionString),
    clock: systemClock,
    log: createLog('warn'),
    role: 'worker',
    version,
  })
  try {
    return await work(app)
  } finally {
    await app.stop()
  }
}
