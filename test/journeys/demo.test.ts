import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { describe, expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { type Service, startWithDemoData } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const readDemo = async (dir: string) =>
  JSON.parse(await readFile(join(dir, 'demo-credentials.json'), 'utf8'))

const untilStarted = (service: Service) =>
  eventually(() => expect(service.output()).toContain('Creating demo data'))

/** Waits for the demo data: under a minute, and several on a machine that runs other tests. */
async function untilComplete(service: Service): Promise<void> {
  await expect
    .poll(() => service.output(), { timeout: 480_000, interval: 200 })
    .toMatch(/Demo data is complete|creating the demo data failed/)
  expect(service.output()).not.toContain('creating the demo data failed')
}

const GRADES = ['AAA', 'AA', 'A', 'BBB', 'BB', 'B', 'CCC', 'NR']

describe('the demo organisation', () => {
  it('is created in the background of the first start, also after a kill, and is complete', async () => {
    const dir = await temporaryDir()
    const killed = await startWithDemoData({ DATA_DIR: dir })
    await untilStarted(killed)
    const before = await readDemo(dir)
    expect(before).toMatchObject({ state: 'seeding', email: 'demo@localhost' })
    expect((await stat(join(dir, 'demo-credentials.json'))).mode & 0o777).toBe(0o600)
    await killed.end('SIGKILL')

    const service = await startWithDemoData({ DATA_DIR: dir })
    await untilComplete(service)
    const { email, password, api_key: token, org_id: org, state } = await readDemo(dir)
    expect({ state, password }).toEqual({ state: 'complete', password: before.password })
    const login = await service.call('POST', '/v1/auth/login', { body: { email, password } })
    expect(login.status).toBe(200)
    const own = await service.call('GET', '/v1/orgs', { token: login.body.access_token })
    expect(own.body.orgs.map((listed: { name: string }) => listed.name)).toEqual(['Demo'])
    const me = await service.call('GET', '/v1/auth/me', { token: login.body.access_token })
    expect(me.body.is_platform_admin ?? me.body.user?.is_platform_admin ?? false).toBe(false)

    const get = async (path: string) => {
      const answer = await service.call('GET', path, { token })
      expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBe(200)
      return answer.body
    }
    const { agents } = await get('/v1/agents?per_page=100')
    expect(agents).toHaveLength(12)
    for (const agent of agents) expect(agent.description).toMatch(/^Demo data\./)
    const scores = await Promise.all(
      agents.map(({ agent_id }: { agent_id: string }) => get(`/v1/reputation/${agent_id}`)),
    )
    const summary = scores.map((one) => `${one.agent_id} ${one.grade} ${one.score}`).join('\n')
    for (const grade of GRADES) {
      expect(
        scores.map((one) => one.grade),
        summary,
      ).toContain(grade)
    }
    for (const { agent_id, grade } of scores) {
      if (grade === 'NR') continue
      const verified = await get(`/v1/reputation/${agent_id}/verify`)
      expect(verified, agent_id).toMatchObject({
        verified: true,
        verification: { hash_chain_valid: true },
      })
      const { snapshots } = await get(`/v1/reputation/${agent_id}/history`)
      expect(snapshots, agent_id).toHaveLength(12)
    }
    await expectDashboardData(get, org)
    expect(await service.end()).toBe(0)

    const again = await startWithDemoData({ DATA_DIR: dir })
    expect(again.output()).not.toContain('Creating demo data')
    expect(await again.end()).toBe(0)
  })

  it('is not created with --empty, nor at a later start', async () => {
    const dir = await temporaryDir()
    const empty = await startWithDemoData({ DATA_DIR: dir }, ['--empty'])
    await empty.end()
    const later = await startWithDemoData({ DATA_DIR: dir })
    await later.end()
    expect(empty.output() + later.output()).not.toContain('Demo')
    await expect(readDemo(dir)).rejects.toThrow()
  })
})

/** Decisions of every kind over twelve weeks, each with a valid receipt, and two open approvals. */
async function expectDecisions(
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without types
  get: (path: string) => Promise<any>,
): Promise<void> {
  const first = async (query: string) => {
    const { decisions } = await get(`/v1/decisions?limit=1&${query}`)
    expect(decisions, query).toHaveLength(1)
    return decisions[0]
  }
  const { keys } = await get('/v1/keys')
  for (const decision of ['allow', 'warn', 'block', 'escalate']) {
    const { receipt } = await first(`decision=${decision}`)
    expect(verifyDecisionReceipt(receipt, keys)).toMatchObject({ valid: true })
  }
  for (const outcome of ['executed', 'failed', 'not_executed', 'none']) {
    await first(`outcome=${outcome}`)
  }
  for (const source of ['api', 'sdk', 'mcp_guard', 'hook', 'model_gateway'])
    await first(`source=${source}`)
  const { decisions: bypassed } = await get('/v1/decisions?outcome=bypassed')
  expect(bypassed).toMatchObject([{ agent_id: 'demo-trading-falcon-2', decision: 'block' }])
  const early = new Date(Date.now() - 70 * 24 * 3_600_000).toISOString()
  const { receipt } = await first(`to=${early}`)
  expect(receipt.batch.size).toBeGreaterThan(1)
  const { escalations } = await get('/v1/escalations?status=pending')
  expect(escalations).toHaveLength(2)
  for (const { justification, arguments_stored } of escalations) {
    expect(justification.length).toBeGreaterThan(40)
    expect(arguments_stored).toBe(true)
  }
  for (const status of ['approved', 'rejected', 'expired']) {
    expect((await get(`/v1/escalations?status=${status}`)).total, status).toBeGreaterThan(0)
  }
}

/** Two agents call their model through the gateway, which refused a call and observed the turns. */
async function expectModelTurns(
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without types
  get: (path: string) => Promise<any>,
): Promise<void> {
  const refused = await get('/v1/decisions?source=model_gateway&decision=block')
  const alma = 'demo-research-alma-2'
  expect(refused.decisions).toMatchObject([{ tool: 'run_shell', agent_id: alma }])
  const { checkpoints } = await get(`/v1/agents/${alma}/checkpoints?per_page=5`)
  expect(checkpoints[0]).toMatchObject({ provenance: 'observed' })
  const { days } = await get(`/v1/agents/${alma}/model-usage`)
  expect(days.length).toBeGreaterThan(4)
  const { connections } = await get(`/v1/agents/${alma}/connections`)
  expect(connections).toMatchObject([{ name: 'Production', last_used_at: expect.any(String) }])
}

/** Events that the service really sent to a receiver on this machine, one of them twice. */
async function expectDeliveries(
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without types
  get: (path: string) => Promise<any>,
  org: string,
): Promise<void> {
  const { webhooks } = await get(`/v1/orgs/${org}/webhooks`)
  expect(webhooks).toMatchObject([{ is_active: false, consecutive_failures: 0 }])
  const { deliveries } = await get(`/v1/orgs/${org}/webhooks/deliveries`)
  expect(deliveries.length).toBeGreaterThanOrEqual(4)
  for (const one of deliveries) {
    expect(one).toMatchObject({ status: 'delivered', last_response_status: 200 })
  }
  const [retried, ...others] = deliveries.filter(
    (one: { attempt_count: number }) => one.attempt_count > 1,
  )
  expect(others).toEqual([])
  const { attempts } = await get(`/v1/orgs/${org}/webhooks/deliveries/${retried.delivery_id}`)
  expect(attempts).toMatchObject([{ status: 503 }, { status: 200, error: null }])
  const types = deliveries.map((one: { event_type: string }) => one.event_type)
  expect(types).toEqual(expect.arrayContaining(['decision.blocked', 'decision.escalated']))
}

/** The score rose, fell, or fell and recovered over the weeks. */
async function expectFates(
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without types
  get: (path: string) => Promise<any>,
): Promise<void> {
  const scoresOf = async (agentId: string): Promise<number[]> => {
    const { snapshots } = await get(`/v1/reputation/${agentId}/history`)
    // The newest one is first.
    return snapshots.map(({ score }: { score: number }) => score).reverse()
  }
  const change = (scores: readonly number[]) => (scores.at(-1) ?? 0) - (scores[0] ?? 0)
  expect(change(await scoresOf('demo-claims-anchor-2'))).toBeGreaterThan(50)
  expect(change(await scoresOf('demo-trading-falcon-2'))).toBeLessThan(-200)
  const alma = await scoresOf('demo-research-alma-2')
  const lowest = alma.indexOf(Math.min(...alma))
  expect(lowest, 'an incident').toBeGreaterThan(1)
  expect(change(alma.slice(lowest)), 'and its recovery').toBeGreaterThan(50)
}

async function openDriftAlerts(
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without types
  get: (path: string) => Promise<any>,
): Promise<number> {
  const { agents } = await get('/v1/agents?per_page=100')
  let open = 0
  for (const { agent_id } of agents) {
    open += (await get(`/v1/agents/${agent_id}/drift?status=open`)).total
  }
  return open
}

/** Checks that there is data for every page of the dashboard. */
async function expectDashboardData(
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without types
  get: (path: string) => Promise<any>,
  org: string,
): Promise<void> {
  const { teams } = await get(`/v1/orgs/${org}/teams`)
  expect(teams).toHaveLength(2)
  for (const { id } of teams) {
    expect(await get(`/v1/teams/${id}/reputation`)).toMatchObject({ is_eligible: true })
    expect(await get(`/v1/teams/${id}/reputation/verify`)).toMatchObject({ verified: true })
    expect((await get(`/v1/teams/${id}/intelligence`)).total).toBe(3)
  }
  await expectDecisions(get)
  await expectModelTurns(get)
  await expectDeliveries(get, org)
  await expectFates(get)
  const gaps = await get('/v1/agents/demo-refund-piper-2/reclassifications')
  expect(gaps.reclassifications.length).toBeGreaterThanOrEqual(1)
  const amended = await get('/v1/agents/demo-refund-piper-2/card-amendments')
  expect(amended.card_amendments.length).toBeGreaterThanOrEqual(1)
  const evaluated = await get('/v1/agents/demo-refund-piper-2/policy-evaluations')
  expect(evaluated.total).toBeGreaterThan(10)
  expect((await get('/v1/agents/demo-pipeline-tide-2/drift')).total).toBeGreaterThan(0)
  expect(await openDriftAlerts(get)).toBeLessThan(15)
  expect((await get('/v1/agents/demo-support-willow-2/trust-edges')).total).toBe(1)
  expect((await get(`/v1/orgs/${org}/conscience-values`)).values).toHaveLength(2)
  const contained = await get(`/v1/orgs/${org}/agents/demo-trading-falcon-2/containment`)
  expect(contained.status).toBe('paused')
  const { assessments } = await get('/v1/risk/history/demo-refund-piper-2')
  expect(assessments).toHaveLength(1)
}
