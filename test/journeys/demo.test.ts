import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { type Service, startServing, temporaryDir } from '#harness/process.ts'

const readDemo = async (dir: string) =>
  JSON.parse(await readFile(join(dir, 'demo-credentials.json'), 'utf8'))

const begun = (service: Service) =>
  eventually(() => expect(service.output()).toContain('Creating demo data'))

/** Longer than anything else here, as it is on a machine that does much beside. */
async function complete(service: Service): Promise<void> {
  await expect
    .poll(() => service.output(), { timeout: 240_000, interval: 200 })
    .toMatch(/Demo data is complete|could not be made/)
  expect(service.output()).not.toContain('could not be made')
}

const GRADES = ['AAA', 'AA', 'A', 'BBB', 'BB', 'B', 'CCC', 'NR']

describe('the demo organisation', () => {
  it('is made in the background of a first start, again after a kill, and holds what it says', async () => {
    const dir = await temporaryDir()
    const killed = await startServing({ DATA_DIR: dir })
    await begun(killed)
    const before = await readDemo(dir)
    expect(before).toMatchObject({ state: 'seeding', email: 'demo@localhost' })
    expect((await stat(join(dir, 'demo-credentials.json'))).mode & 0o777).toBe(0o600)
    await killed.end('SIGKILL')

    const service = await startServing({ DATA_DIR: dir })
    await complete(service)
    const { email, password, api_key: token, org_id: org, state } = await readDemo(dir)
    expect({ state, password }).toEqual({ state: 'complete', password: before.password })
    const login = await service.call('POST', '/v1/auth/login', { body: { email, password } })
    expect(login.status).toBe(200)
    const own = await service.call('GET', '/v1/orgs', { token: login.body.access_token })
    expect(own.body.orgs.map((one: { name: string }) => one.name)).toEqual(['Demo'])
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
    const told = scores.map((one) => `${one.agent_id} ${one.grade} ${one.score}`).join('\n')
    for (const grade of GRADES) {
      expect(
        scores.map((one) => one.grade),
        told,
      ).toContain(grade)
    }
    for (const { agent_id, grade } of scores) {
      if (grade === 'NR') continue
      const verified = await get(`/v1/reputation/${agent_id}/verify?depth=full`)
      expect(verified, agent_id).toMatchObject({
        verified: true,
        verification: { hash_chain_valid: true },
      })
      const { snapshots } = await get(`/v1/reputation/${agent_id}/history`)
      expect(snapshots, agent_id).toHaveLength(12)
    }
    await holdsTheRest(get, org)
    expect(await service.end()).toBe(0)

    const again = await startServing({ DATA_DIR: dir })
    expect(again.output()).not.toContain('Creating demo data')
    expect(await again.end()).toBe(0)
  }, 400_000)

  it('is not made where it is not wanted, nor at a later start', async () => {
    const dir = await temporaryDir()
    const empty = await startServing({ DATA_DIR: dir }, ['--empty'])
    await empty.end()
    const later = await startServing({ DATA_DIR: dir })
    await later.end()
    expect(empty.output() + later.output()).not.toContain('Demo')
    await expect(readDemo(dir)).rejects.toThrow()
  })
})

/** What every page of the dashboard has to show. */
async function holdsTheRest(
  // biome-ignore lint/suspicious/noExplicitAny: answers are read freely in tests
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
  const { escalations } = await get('/v1/escalations?status=pending')
  expect(escalations).toHaveLength(1)
  const gaps = await get('/v1/agents/demo-refund-piper-2/reclassifications')
  expect(gaps.reclassifications.length).toBeGreaterThanOrEqual(1)
  const amended = await get('/v1/agents/demo-refund-piper-2/card-amendments')
  expect(amended.card_amendments.length).toBeGreaterThanOrEqual(1)
  const evaluated = await get('/v1/agents/demo-refund-piper-2/policy-evaluations')
  expect(evaluated.total).toBeGreaterThan(10)
  expect((await get('/v1/agents/demo-pipeline-tide-2/drift')).total).toBeGreaterThan(0)
  expect((await get('/v1/agents/demo-support-willow-2/trust-edges')).total).toBe(1)
  expect((await get(`/v1/orgs/${org}/conscience-values`)).values).toHaveLength(2)
  const contained = await get(`/v1/orgs/${org}/agents/demo-trading-falcon-2/containment`)
  expect(contained.status).toBe('paused')
  const { assessments } = await get('/v1/risk/history/demo-refund-piper-2')
  expect(assessments).toHaveLength(1)
}
