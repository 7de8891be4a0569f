import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TrustedKey } from '@touchstone/protocol/evidence'
import { type DecisionReceipt, verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { describe, expect, inject, it } from 'vitest'
import { killService, killWithDatabase } from '#harness/kill.ts'
import { type Service, startService } from '#harness/process.ts'
import { fullOrShort } from '#harness/runs.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

/** Number of times the service is killed; DECISION_KILLS overrides it. */
const kills = () => Number(process.env['DECISION_KILLS'] ?? fullOrShort({ full: 20, short: 1 }))

const AGENT = 'crash-agent'
const CONNECTIONS = 24
/** Enough for slow machines, however many rounds there are. */
const ROUND_MS_MAX = 60_000
/** The service is killed after at most this many answers, each of which is read again. */
const answersMax = () => fullOrShort({ full: 400, short: 100 })

const POLICY = {
  meta: { schema_version: '1.0', name: 'Crash', scope: 'agent' },
  capability_mappings: { all: { tools: ['search', 'refund'], card_actions: ['search'] } },
  forbidden: [{ pattern: 'shell', reason: 'No shell access', severity: 'critical' }],
  escalation_triggers: [{ condition: "tool == 'refund'", action: 'escalate', reason: 'Ask' }],
  defaults: { enforcement_mode: 'enforce' },
}
const TOOLS = ['search', 'search', 'search', 'shell', 'refund']

type Answer = { decision_id: string; decision: string; receipt: DecisionReceipt }
type Running = { service: Service; token: string }

async function open(dir: string): Promise<Running> {
  const service = await startService({ DATA_DIR: dir })
  const { api_key: token } = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
  return { service, token }
}

async function read({ service, token }: Running, path: string) {
  const { status, body } = await service.call('GET', path, { token })
  expect(status, path).toBe(200)
  return body
}

async function send({ service, token }: Running, method: string, path: string, body: unknown) {
  const answer = await service.call(method, path, { token, body })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
}

let callCount = 0

/** Requests decisions over several connections, each until it is cut off. Returns the answers. */
async function decideUntilKilled(
  { service, token }: Running,
  killAfter: number,
  kill: () => Promise<unknown>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  let killed: Promise<unknown> | undefined
  const work = async () => {
    for (;;) {
      const n = callCount++
      const tool = TOOLS[n % TOOLS.length]
      const body = { agent_id: AGENT, tool, session_id: `s${n % 7}`, arguments: { n } }
      const answer = await service
        .call('POST', '/v1/gateway/decide', { token, body })
        .catch(() => undefined)
      if (answer === undefined) return
      // In the moment after its database was killed the service says that it stores nothing.
      if (answer.status === 503 || answer.body.recorded === false) continue
      expect(answer.status).toBe(200)
      answers.push(answer.body)
      if (answers.length === killAfter) killed = kill()
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  await killed
  return answers
}

async function expectStored(running: Running, answers: readonly Answer[]): Promise<void> {
  const waiting = answers.values()
  const work = async () => {
    for (const { decision_id: id, decision, receipt } of waiting) {
      const stored = await read(running, `/v1/decisions/${id}`)
      expect(stored).toMatchObject({ decision_id: id, decision })
      expect(stored.receipt).toEqual(receipt)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
}

async function listReceipts(running: Running): Promise<DecisionReceipt[]> {
  const receipts: DecisionReceipt[] = []
  let cursor = ''
  for (;;) {
    const page = await read(running, `/v1/decisions?limit=200${cursor}`)
    receipts.push(...page.decisions.map((one: Answer) => one.receipt))
    if (page.next_cursor === null) return receipts
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

/** No escalation is left of a call whose decision was lost, and every answered one exists. */
async function expectNoLoneEscalation(
  running: Running,
  receipts: readonly DecisionReceipt[],
  escalated: number,
) {
  const stored = new Set(receipts.map(({ statement }) => statement.decision_id))
  let found = 0
  for (let page = 1; ; page += 1) {
    const { escalations } = await read(running, `/v1/escalations?per_page=100&page=${page}`)
    if (escalations.length === 0) break
    found += escalations.length
    const lone = escalations.filter(
      ({ decision_id: id }: { decision_id: string }) => !stored.has(id),
    )
    expect(lone).toEqual([])
  }
  expect(found).toBeGreaterThanOrEqual(escalated)
}

/** Each receipt verifies, and each signed batch has all of its decisions. */
function expectWholeBatches(receipts: readonly DecisionReceipt[], keys: readonly TrustedKey[]) {
  const batches = new Map<string, { size: number; indexes: number[] }>()
  for (const receipt of receipts) {
    expect(verifyDecisionReceipt(receipt, keys)).toMatchObject({ valid: true })
    const { root = '', size = 0, index = -1 } = receipt.batch ?? {}
    const batch = batches.get(root) ?? { size, indexes: [] }
    batch.indexes.push(index)
    batches.set(root, batch)
  }
  for (const { size, indexes } of batches.values()) {
    const sorted = indexes.sort((a, b) => a - b)
    expect(sorted).toEqual(Array.from({ length: size }, (_, index) => index))
  }
  // Otherwise no batch could have been torn.
  expect(Math.max(...[...batches.values()].map(({ size }) => size))).toBeGreaterThan(1)
}

describe('a service killed while it decides', () => {
  it(
    'has stored every decision that it answered, in whole batches',
    async () => {
      const dir = await temporaryDir()
      let running = await open(dir)
      await send(running, 'POST', '/v1/agents', { agent_id: AGENT })
      await send(running, 'PUT', `/v1/agents/${AGENT}/policy`, POLICY)
      let answered = 0
      let escalated = 0
      for (let round = 0; round < kills(); round += 1) {
        const killAfter = 1 + ((inject('seed') + round * 7919) % answersMax())
        const { service } = running
        const kill = (inject('seed') + round) % 2 === 0 ? killService : killWithDatabase(dir)
        const answers = await decideUntilKilled(running, killAfter, () => kill(service))
        answered += answers.length
        escalated += answers.filter(({ decision }) => decision === 'escalate').length
        running = await open(dir)
        await expectStored(running, answers)
      }
      const receipts = await listReceipts(running)
      expect(receipts.length).toBeGreaterThanOrEqual(answered)
      const { keys } = await read(running, '/v1/keys')
      expectWholeBatches(receipts, keys)
      await expectNoLoneEscalation(running, receipts, escalated)
      expect(await running.service.end()).toBe(0)
    },
    Math.max(600_000, kills() * ROUND_MS_MAX),
  )
})
