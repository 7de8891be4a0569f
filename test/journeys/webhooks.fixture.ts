import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, vi } from 'vitest'
import { freshDatabaseUrl } from '#harness/database.ts'
import { startService } from '#harness/process.ts'
import { type Receiver, TEST_AUTHORITY } from '#harness/receiver.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const AGENT = 'webhook-agent'
const ARRIVAL_MS_MAX = 300_000

/** One database with one API process; starts workers on request. */
export async function createWebhookSetup() {
  const dir = await temporaryDir()
  const authority = join(dir, 'authority.pem')
  await writeFile(authority, TEST_AUTHORITY)
  const env = {
    DATABASE_URL: await freshDatabaseUrl(),
    SECRET_KEY: randomBytes(32).toString('base64'),
    ALLOW_LOOPBACK_EGRESS: 'true',
    NODE_EXTRA_CA_CERTS: authority,
    DATA_DIR: dir,
  }
  const api = await startService(env, ['--role', 'api'])
  const credentials = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
  const token: string = credentials.api_key
  const base = `/v1/orgs/${credentials.org_id}/webhooks`
  const post = async (path: string, body: object) => {
    const answer = await api.call('POST', path, { token, body })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body
  }
  await post('/v1/agents', { agent_id: AGENT })
  const db = new pg.Client({ connectionString: env.DATABASE_URL })
  await db.connect()
  onTestFinished(() => db.end())
  return {
    worker: () => startService(env, ['--role', 'worker']),
    endpoint: (url: string, event_types: string[]) => post(base, { url, event_types }),
    trace: (n: number) => post('/v1/traces', traceOf(n)),
    async log(query: string) {
      return (await api.call('GET', `${base}/deliveries?${query}`, { token })).body
    },
    /** Expires all leases now, so that nothing waits for those of killed workers. */
    async expireLeases(): Promise<void> {
      for (const table of ['webhook_due', 'webhook_lane']) {
        await db.query(`update ${table} set leased_until = now() where leased_until > now()`)
      }
      await db.query('update job set locked_until = now() where locked_until > now()')
    },
  }
}

function traceOf(n: number) {
  return {
    agent_id: AGENT,
    action: { type: 'execute', name: `step ${n}`, category: 'bounded' },
    decision: { selected: 'a', selection_reasoning: 'It fits.', values_applied: [], confidence: 1 },
    escalation: { evaluated: true, required: false, reason: 'nothing due' },
  }
}

/** The numbers of the traces in the webhooks of a receiver. */
export const numbersIn = (receiver: Receiver): number[] =>
  receiver.received.map(({ body }) => Number(JSON.parse(body).trace.action.name.slice(5)))

export const untilArrived = (check: () => unknown) =>
  vi.waitFor(check, { timeout: ARRIVAL_MS_MAX, interval: 50 })
