import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyWebhook } from '@touchstone/sdk'
import { describe, expect, it, vi } from 'vitest'
import { freshDatabaseUrl } from '#harness/database.ts'
import { type Service, startService, temporaryDir } from '#harness/process.ts'
import { type answerWith, type Receiver, startReceiver, TEST_AUTHORITY } from '#harness/receiver.ts'

const AGENT = 'webhook-agent'
const KILLS = 4
const TRACES_MIN = 200
/** A lease is 30 s; the last dead worker's deliveries are taken over after it. */
const ARRIVAL_MS_MAX = 120_000
/** What each dead worker held waits for its lease, one after the other at worst. */
const KILLED_MS_MAX = 300_000

/** One database, one process that answers and as many that send as are asked for. */
async function open() {
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
  const made = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
  const token: string = made.api_key
  const base = `/v1/orgs/${made.org_id}/webhooks`
  const post = async (path: string, body: object) => {
    const answer = await api.call('POST', path, { token, body })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body
  }
  await post('/v1/agents', { agent_id: AGENT })
  return {
    worker: () => startService(env, ['--role', 'worker']),
    endpoint: (url: string, event_types: string[]) => post(base, { url, event_types }),
    trace: (n: number) => post('/v1/traces', traceOf(n)),
    async log(query: string) {
      return (await api.call('GET', `${base}/deliveries?${query}`, { token })).body
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

const numbersIn = (receiver: Receiver): number[] =>
  receiver.received.map(({ body }) => Number(JSON.parse(body).trace.action.name.slice(5)))

const arrive = (check: () => unknown) =>
  vi.waitFor(check, { timeout: ARRIVAL_MS_MAX, interval: 200 })

describe('webhooks', () => {
  it(
    'all arrive over TLS though their workers are killed again and again',
    async () => {
      const line = await open()
      const answering = (...[res]: Parameters<ReturnType<typeof answerWith>>) =>
        void setTimeout(() => res.end(), 20)
      const receivers = [
        await startReceiver(answering, { tls: true }),
        await startReceiver(answering, { tls: true }),
        await startReceiver(answering, { tls: true }),
      ]
      const total = () => receivers.reduce((sum, { received }) => sum + received.length, 0)
      const secrets: string[] = []
      for (const { url } of receivers) {
        secrets.push((await line.endpoint(url, ['trace.*'])).signing_secret)
      }
      const workers: Service[] = [await line.worker(), await line.worker()]
      let sent = 0
      let loading = true
      const load = (async () => {
        while (loading || sent < TRACES_MIN) {
          await line.trace(sent)
          sent += 1
        }
      })()
      for (let kill = 0; kill < KILLS; kill += 1) {
        const heard = total()
        // Only a worker that is at work is worth killing.
        await arrive(() => expect(total()).toBeGreaterThan(heard))
        await workers.shift()?.end('SIGKILL')
        workers.push(await line.worker())
      }
      loading = false
      await load
      const all = Array.from({ length: sent }, (_, n) => n)
      for (const [i, receiver] of receivers.entries()) {
        await arrive(() => expect(new Set(numbersIn(receiver)).size).toBe(sent))
        // What is more than that came twice; nothing else came.
        expect([...new Set(numbersIn(receiver))].sort((a, b) => a - b)).toEqual(all)
        const ids = receiver.received.map(({ body }) => JSON.parse(body).id)
        expect(new Set(ids).size).toBe(sent)
        for (const { body, headers } of receiver.received) {
          const now = new Date(Number(headers['x-webhook-timestamp']) * 1000)
          await verifyWebhook({ body, headers, secret: secrets[i] ?? '', now })
        }
      }
      await arrive(async () => {
        expect((await line.log('status=delivered')).total).toBe(sent * receivers.length)
      })
    },
    KILLED_MS_MAX,
  )

  it('of one receiver that hangs do not keep those of another waiting', async () => {
    const line = await open()
    const hanging = await startReceiver(() => undefined)
    const other = await startReceiver()
    const { endpoint_id: id } = await line.endpoint(hanging.url, [])
    await line.endpoint(other.url, [])
    await line.worker()
    for (let n = 0; n < 40; n += 1) await line.trace(n)
    await arrive(() => expect(other.received).toHaveLength(40))
    expect(hanging.received.length).toBeLessThanOrEqual(4)
    await arrive(async () => {
      const { deliveries } = await line.log(`endpoint_id=${id}&status=retrying`)
      expect(deliveries[0]).toMatchObject({
        last_error: 'no full answer in time',
        last_response_status: null,
      })
    })
    expect(hanging.atOnceMax()).toBeLessThanOrEqual(4)
  })

  it('are sent by a stopped worker to their end, and by nobody twice', async () => {
    const line = await open()
    const slow = await startReceiver((res) => void setTimeout(() => res.end(), 300))
    await line.endpoint(slow.url, [])
    const first = await line.worker()
    for (let n = 0; n < 12; n += 1) await line.trace(n)
    await arrive(() => expect(slow.received.length).toBeGreaterThan(0))
    expect(await first.end('SIGTERM')).toBe(0)
    await line.worker()
    await arrive(async () => expect((await line.log('status=delivered')).total).toBe(12))
    for (const { body } of slow.received) {
      expect(JSON.parse(body).trace.session_id).toMatch(/^sess-/)
    }
    expect(numbersIn(slow).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n))
  })
})
