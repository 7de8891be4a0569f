import { sql } from 'kysely'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { answerWith, type Responder, startReceiver } from '#harness/receiver.ts'
import { SYSTEM_ACTOR } from '../../../audit.ts'
import type { DeliveryStatus } from './delivery.ts'
import type { Answer } from './retry.ts'
import { ORG, webhooksOn } from './webhooks.fixture.ts'

let t: Awaited<ReturnType<typeof webhooksOn>>

beforeAll(async () => {
  t = await webhooksOn()
})

/** Deletes all other endpoints and creates one for a new receiver. */
async function onlyEndpoint(respond?: Responder, options?: { tls?: boolean }) {
  for (const { endpointId } of await t.service.list(ORG.orgId)) {
    await t.service.delete({ orgId: ORG.orgId, endpointId, actor: SYSTEM_ACTOR })
  }
  const receiver = await startReceiver(respond, options)
  const url = options?.tls === true ? `https://receiver.test:${receiver.port}/` : receiver.url
  return { receiver, endpoint: await t.create(url) }
}

const alerts = (bodies: readonly { body: string }[]) =>
  bodies.map(({ body }) => String(JSON.parse(body).data.alert_id))

/** An outbound whose answers the test releases, like a slow receiver. */
function deferredAnswers() {
  const waiting: ((answer: Answer) => void)[] = []
  return {
    waiting,
    outbound: {
      assertAllowed: async () => undefined,
      post: () => new Promise<Answer>((resolve) => void waiting.push(resolve)),
    },
  }
}

const OK: Answer = { status: 200, retryAfter: undefined }

describe('a receiver over TLS', () => {
  it('is reached by its host name', async () => {
    const { receiver, endpoint } = await onlyEndpoint(answerWith(200), { tls: true })
    await t.emit('tls')
    await t.worker.runDue()
    expect(alerts(receiver.received)).toEqual(['tls'])
    expect(await t.log(endpoint.endpointId)).toMatchObject([{ status: 'delivered' }])
  })

  it('receives nothing if its certificate is for another name', async () => {
    const receiver = await startReceiver(answerWith(200), { tls: true })
    const endpoint = await t.create(`https://other.test:${receiver.port}/`)
    await t.emit('other name')
    await t.worker.runDue()
    expect(receiver.received).toEqual([])
    const [delivery] = await t.log(endpoint.endpointId)
    expect(delivery).toMatchObject({ status: 'retrying', lastResponseStatus: null })
    expect(delivery?.lastError).toContain('TLS')
  })
})

describe('a receiver that', () => {
  const broken: [string, Responder, object][] = [
    ['answers 500', answerWith(500), { status: 'retrying', lastResponseStatus: 500 }],
    ['answers 404', answerWith(404), { status: 'failed', lastResponseStatus: 404 }],
    [
      'closes the connection',
      (res) => void res.destroy(),
      { status: 'retrying', lastResponseStatus: null },
    ],
    [
      'closes the connection during its answer',
      (res) => {
        res.writeHead(200, { 'content-length': '1000' }).write('begun')
        setTimeout(() => res.destroy(), 20)
      },
      { status: 'retrying', lastResponseStatus: null },
    ],
    [
      'never ends its answer',
      (res) => {
        res.writeHead(200)
        const timer = setInterval(() => res.write(Buffer.alloc(20_000)), 1)
        res.on('close', () => clearInterval(timer))
      },
      { status: 'delivered', lastResponseStatus: 200 },
    ],
    [
      'answers a little late',
      (res) => void setTimeout(() => res.end(), 100),
      { status: 'delivered', lastResponseStatus: 200 },
    ],
  ]

  it.each(broken)('%s', async (_, respond, expected) => {
    const { receiver, endpoint } = await onlyEndpoint(respond)
    await t.emit('one')
    await t.worker.runDue()
    expect(receiver.received).toHaveLength(1)
    expect(await t.log(endpoint.endpointId)).toMatchObject([{ attemptCount: 1, ...expected }])
  })

  it('redirects is not followed', async () => {
    const elsewhere = await startReceiver()
    const { endpoint } = await onlyEndpoint(answerWith(307, { location: elsewhere.url }))
    await t.emit('redirected')
    await t.worker.runDue()
    expect(elsewhere.received).toEqual([])
    expect(await t.log(endpoint.endpointId)).toMatchObject([
      { status: 'retrying', lastResponseStatus: 307 },
    ])
  })

  it('answers 429 is retried after its Retry-After', async () => {
    const { receiver, endpoint } = await onlyEndpoint(answerWith(429, { 'retry-after': '90' }))
    await t.emit('busy')
    await t.worker.runDue()
    const [delivery] = await t.log(endpoint.endpointId)
    expect(delivery?.nextAttemptAt?.getTime()).toBe(t.clock.nowMs() + 90_000)
    receiver.answer(answerWith(200))
    t.clock.advance(89_999)
    await t.worker.runDue()
    expect(receiver.received).toHaveLength(1)
    t.clock.advance(1)
    await t.worker.runDue()
    expect(await t.log(endpoint.endpointId)).toMatchObject([{ status: 'delivered' }])
  })

  it('never recovers gets six attempts with the same body, then the delivery fails', async () => {
    const { receiver, endpoint } = await onlyEndpoint(answerWith(503))
    await t.emit('hopeless')
    const started = t.clock.nowMs()
    const offsets: number[] = []
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await t.worker.runDue()
      offsets.push((t.clock.nowMs() - started) / 1000)
      const [delivery] = await t.log(endpoint.endpointId)
      if (delivery?.nextAttemptAt) t.clock.set(delivery.nextAttemptAt.toISOString())
    }
    expect(offsets).toEqual([0, 10, 40, 160, 760, 4360])
    expect(await t.log(endpoint.endpointId)).toMatchObject([{ status: 'failed', attemptCount: 6 }])
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    const headers = receiver.received.map((one) => one.headers)
    expect(headers.map((one) => one['x-webhook-attempt'])).toEqual(['1', '2', '3', '4', '5', '6'])
    expect(new Set(headers.map((one) => one['x-webhook-signature'])).size).toBe(6)
    expect(await t.service.get(ORG.orgId, endpoint.endpointId)).toMatchObject({
      consecutiveFailures: 1,
      isActive: true,
    })
  })
})

describe('the address of a host', () => {
  it('is resolved for each attempt, and a private one is refused', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1'], ['::ffff:10.0.0.1'], ['8.8.8.8', '169.254.1.1']]
    const resolve = vi.fn(async () => answers.shift() ?? ['::ffff:127.0.0.1'])
    const guarded = await webhooksOn({ allowLoopback: false, resolve })
    const receiver = await startReceiver(answerWith(200), { tls: true })
    const endpoint = await guarded.create(`https://receiver.test:${receiver.port}/`)
    await guarded.emit('rebound')
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await guarded.worker.runDue()
      const [delivery] = await guarded.log(endpoint.endpointId)
      expect(delivery).toMatchObject({
        status: 'retrying',
        attemptCount: attempt,
        lastError: 'the host resolves to an address that is not allowed',
      })
      guarded.clock.set(delivery?.nextAttemptAt?.toISOString() ?? '')
    }
    expect(resolve).toHaveBeenCalledTimes(5)
    expect(receiver.received).toEqual([])
  })

  it('is refused if private, in any spelling', async () => {
    const guarded = await webhooksOn({ allowLoopback: false })
    for (const host of ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::a00:1]', '0x7f.1']) {
      await expect(guarded.create(`https://${host}/`)).rejects.toMatchObject({ kind: 'refused' })
    }
  })
})

describe('workers', () => {
  it('send at most four requests at a time to one endpoint, however many workers there are', async () => {
    const slow: Responder = (res) => void setTimeout(() => res.end(), 5)
    const { receiver, endpoint } = await onlyEndpoint(slow)
    await t.emit(...Array.from({ length: 60 }, (_, i) => `n${i}`))
    const nodes = [t.node().worker, t.node().worker, t.node().worker]
    for (const node of nodes) node.start()
    await eventually(() => expect(receiver.received).toHaveLength(60))
    await Promise.all(nodes.map((node) => node.stop()))
    expect(receiver.concurrentMax()).toBeLessThanOrEqual(4)
    expect(new Set(alerts(receiver.received)).size).toBe(60)
    const log = await t.log(endpoint.endpointId)
    expect(
      log.every(({ status, attemptCount }) => status === 'delivered' && attemptCount === 1),
    ).toBe(true)
  })

  it('serve every endpoint concurrently, four requests at a time with 28 more claimed', async () => {
    const many = await webhooksOn()
    const { outbound, waiting } = deferredAnswers()
    const ids: string[] = []
    for (let i = 0; i < 5; i += 1)
      ids.push((await many.create('https://receiver.test/')).endpointId)
    await many.emit(...Array.from({ length: 50 }, (_, i) => `n${i}`))
    const worker = many.node(outbound).worker
    worker.start()
    await eventually(() => expect(waiting).toHaveLength(20))
    const taken = (await many.log()).filter(({ status }) => status === 'delivering')
    for (const id of ids) {
      expect(taken.filter(({ endpointId }) => endpointId === id)).toHaveLength(32)
    }
    for (const release of waiting.splice(0)) release(OK)
    const rest = setInterval(() => {
      for (const release of waiting.splice(0)) release(OK)
    }, 5)
    await eventually(async () => {
      const log = await many.log()
      expect(log.filter(({ status }) => status === 'delivered')).toHaveLength(250)
    })
    await worker.stop()
    clearInterval(rest)
  })

  it('give back and claim again a delivery whose lease could expire during its attempt', async () => {
    await onlyEndpoint()
    const { outbound, waiting } = deferredAnswers()
    await t.emit('a', 'b', 'c', 'd', 'last')
    const all = t.node(outbound).worker.runDue()
    await eventually(() => expect(waiting).toHaveLength(4))
    t.clock.advance(15_001)
    for (const release of waiting.splice(0)) release(OK)
    await eventually(() => expect(waiting).toHaveLength(1))
    const { rows } = await sql`select leased_until from webhook_due`.execute(t.db)
    expect(rows).toEqual([{ leased_until: new Date(t.clock.nowMs() + 30_000) }])
    waiting[0]?.(OK)
    await all
  })

  it('have at most 64 requests under way and serve every endpoint', async () => {
    const crowd = await webhooksOn()
    const { outbound, waiting } = deferredAnswers()
    for (let i = 0; i < 20; i += 1) {
      const org = { orgId: `org-${i}`, accountId: 'ba-1' }
      await crowd.create('https://receiver.test/', org)
      await crowd.emitTo(org, 'a', 'b', 'c', 'd')
    }
    let answered = 0
    const { worker } = crowd.node(outbound)
    const all = worker.runDue()
    await eventually(() => expect(waiting).toHaveLength(64))
    const release = setInterval(() => {
      answered += waiting.length
      for (const answer of waiting.splice(0)) answer(OK)
    }, 5)
    await all
    clearInterval(release)
    expect(answered).toBe(80)
  })

  it('take over when the lease of a dead worker expires, which then cannot settle any more', async () => {
    const { endpoint } = await onlyEndpoint()
    const { outbound, waiting } = deferredAnswers()
    const dying = t.node(outbound).worker
    await t.emit('inherited')
    const lost = dying.runDue()
    await eventually(() => expect(waiting).toHaveLength(1))
    t.clock.advance(29_999)
    expect(await t.worker.runDue()).toBe(0)
    t.clock.advance(1)
    await t.worker.runDue()
    expect(await t.log(endpoint.endpointId)).toMatchObject([
      { status: 'delivered', attemptCount: 1 },
    ])
    waiting[0]?.({ status: 500, retryAfter: undefined })
    await lost
    expect(await t.log(endpoint.endpointId)).toMatchObject([
      { status: 'delivered', attemptCount: 1 },
    ])
  })

  it('release an endpoint as soon as they hold none of its deliveries', async () => {
    const { receiver } = await onlyEndpoint()
    for (const alert of ['first', 'second', 'third']) {
      await t.emit(alert)
      expect(await t.node().worker.runDue()).toBeGreaterThan(0)
    }
    expect(alerts(receiver.received)).toEqual(['first', 'second', 'third'])
    expect((await sql`select * from webhook_lane`.execute(t.db)).rows).toEqual([])
    expect((await sql`select * from webhook_due`.execute(t.db)).rows).toEqual([])
  })

  it('show exactly their leased deliveries as delivering', async () => {
    const { endpoint } = await onlyEndpoint()
    const { outbound, waiting } = deferredAnswers()
    const { endpointId } = endpoint
    const ofStatus = async (status: DeliveryStatus) => {
      const filter = { orgId: ORG.orgId, endpointId, eventType: undefined, status }
      const { items, total } = await t.service.deliveries(filter, { page: 1, perPage: 100 })
      expect(items.map((one) => one.status)).toEqual(Array.from({ length: total }, () => status))
      return total
    }
    await t.emit(...Array.from({ length: 40 }, (_, i) => `n${i}`))
    const all = t.node(outbound).worker.runDue()
    await eventually(() => expect(waiting).toHaveLength(4))
    expect([await ofStatus('delivering'), await ofStatus('pending')]).toEqual([32, 8])
    t.clock.advance(30_000)
    expect([await ofStatus('delivering'), await ofStatus('pending')]).toEqual([0, 40])
    for (const release of waiting.splice(0)) release({ status: 500, retryAfter: undefined })
    await eventually(async () => expect(await ofStatus('retrying')).toBe(4))
    const rest = setInterval(() => {
      for (const release of waiting.splice(0)) release(OK)
    }, 5)
    await all
    clearInterval(rest)
    expect([await ofStatus('delivered'), await ofStatus('retrying')]).toEqual([36, 4])
  })

  it('do not count an attempt that a crash interrupted, so that crashes lose nothing', async () => {
    const { receiver, endpoint } = await onlyEndpoint()
    await t.emit('stubborn')
    for (let crash = 0; crash < 8; crash += 1) {
      const { outbound, waiting } = deferredAnswers()
      void t.node(outbound).worker.runDue()
      await eventually(() => expect(waiting).toHaveLength(1))
      t.clock.advance(30_000)
    }
    await t.worker.runDue()
    expect(alerts(receiver.received)).toEqual(['stubborn'])
    expect(await t.log(endpoint.endpointId)).toMatchObject([{ attemptCount: 1 }])
  })

  it('are woken by the commit of the event', async () => {
    const { receiver } = await onlyEndpoint()
    const { worker } = t.node()
    worker.start()
    await t.emit('woken')
    await eventually(() => expect(alerts(receiver.received)).toEqual(['woken']))
    await worker.stop()
  })

  it('claim nothing while they are paused, and go on afterwards', async () => {
    const { receiver } = await onlyEndpoint()
    const { worker } = t.node()
    worker.start()
    const resume = await worker.pause()
    await t.emit('while paused')
    // Another worker is not paused, and what it sends is not sent twice.
    await t.worker.runDue()
    expect(alerts(receiver.received)).toEqual(['while paused'])
    await t.emit('left')
    resume()
    await eventually(() => expect(alerts(receiver.received)).toEqual(['while paused', 'left']))
    await worker.stop()
  })

  it('fail a delivery to an endpoint that was disabled concurrently', async () => {
    const { receiver, endpoint } = await onlyEndpoint()
    await t.emit('too late')
    await sql`update webhook_endpoint set is_active = false, disabled_at = now()
      where endpoint_id = ${endpoint.endpointId}`.execute(t.db)
    await t.worker.runDue()
    expect(receiver.received).toEqual([])
    expect(await t.log(endpoint.endpointId)).toMatchObject([
      { status: 'failed', lastError: 'endpoint disabled', attemptCount: 0 },
    ])
  })

  it('retry a delivery that cannot be prepared, without counting it against the receiver', async () => {
    const { receiver, endpoint } = await onlyEndpoint()
    await t.emit('unsealable')
    await sql`update webhook_endpoint set secret_sealed = 'v1.spoilt'
      where endpoint_id = ${endpoint.endpointId}`.execute(t.db)
    await t.worker.runDue()
    expect(receiver.received).toEqual([])
    expect(t.errors).not.toEqual([])
    expect(await t.log(endpoint.endpointId)).toMatchObject([
      { status: 'pending', lastError: 'the delivery could not be prepared', attemptCount: 0 },
    ])
    expect(await t.service.get(ORG.orgId, endpoint.endpointId)).toMatchObject({
      consecutiveFailures: 0,
    })
  })
})

describe('secrets', () => {
  it('are encrypted in the database', async () => {
    const created = await t.service.create(
      ORG,
      { url: 'https://receiver.test/', description: null, eventTypes: [] },
      SYSTEM_ACTOR,
    )
    const rows = await sql`select * from webhook_endpoint`.execute(t.db)
    expect(JSON.stringify(rows.rows)).not.toContain(created.secret.slice('whsec_'.length))
  })
})
