import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { createApp } from './app.ts'
import { readConfig } from './config.ts'
import { systemClock } from './kernel/clock.ts'

/** The address of a service with the default settings. */
const BASE_URL = 'http://127.0.0.1:8787'

/** The OpenAPI document of a service with the default settings. Sends no query to a database. */
export async function describeService(): Promise<object> {
  const app = await createApp({
    config: readConfig({ RATE_LIMITS: 'off', BASE_URL }, '.'),
    connectionString: 'postgresql://127.0.0.1:1/none',
    secretKey: randomBytes(32),
    clock: systemClock,
    log: pino({ level: 'silent' }),
    role: 'api',
    version: '1.0.0',
  })
  const document = app.openapi()
  await app.stop()
  return document
}
