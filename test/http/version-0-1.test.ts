import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { verifyOffline } from '#harness/checkpoints.ts'
import { testClock } from '#harness/clock.ts'
import { emptyDatabaseUrl } from '#harness/database.ts'
import { MIGRATIONS_DIR } from '#harness/global-setup.ts'
import { restoreBackup } from '../../packages/server/src/backup/restore-backup.ts'
import { migrate } from '../../packages/server/src/postgres/migrate.ts'

/**
 * The data of an installation that version 0.1 wrote through its API, and what 0.1 answered about it.
 * INVARIANT: never created again by a newer version.
 */
const FOLDER = new URL('../fixtures/version-0.1/', import.meta.url)
const LAST_MIGRATION = '0062_policy_evaluation_findings.sql'

type Recorded = {
  now: string
  first: { email: string; password: string; api_key: string; org_id: string }
  escalations: { pending: string; approved: string; used: string; rejected: string }
  receipt: unknown
  answers: Record<string, object>
}

let recorded: Recorded
let t: TestApp
let owner: string

beforeAll(async () => {
  recorded = JSON.parse(await readFile(new URL('answers.json', FOLDER), 'utf8'))
  const connectionString = await emptyDatabaseUrl()
  await migrate({ connectionString, dir: MIGRATIONS_DIR, upTo: LAST_MIGRATION })
  await restoreBackup({ connectionString, file: fileURLToPath(new URL('data.backup', FOLDER)) })
  await migrate({ connectionString, dir: MIGRATIONS_DIR })
  t = await testApp({ databaseUrl: connectionString, clock: testClock(recorded.now) })
  const { email, password } = recorded.first
  owner = (await t.call('POST', '/v1/auth/login', { body: { email, password } })).body.access_token
})

const key = () => recorded.first.api_key
const get = (url: string, token = key()) => t.call('GET', url, { token })
const decide = (call: object) =>
  t.call('POST', '/v1/gateway/decide', { token: key(), body: { agent_id: 'old-clerk', ...call } })

describe('data of version 0.1', () => {
  it('opens with its accounts and keys, and answers the same', async () => {
    expect(owner).toEqual(expect.any(String))
    for (const [url, answer] of Object.entries(recorded.answers)) {
      expect((await get(url, owner)).body, url).toMatchObject(answer)
    }
  })

  it('keeps certificates to the byte, and they and receipts verify offline', async () => {
    const [url = '', certificate] =
      Object.entries(recorded.answers).find(([path]) => path.endsWith('/certificate')) ?? []
    const { body } = await get(url)
    expect(body).toEqual(certificate)
    expect((await verifyOffline(t, body)).valid).toBe(true)
    const { keys } = (await get('/v1/keys')).body
    expect(verifyDecisionReceipt(recorded.receipt, keys)).toMatchObject({ valid: true })
  })

  it('continues the chain of an agent and its score', async () => {
    const text = 'The parcel left the depot this morning, so the answer names the window. '.repeat(
      20,
    )
    const added = await t.call('POST', '/v1/agents/old-clerk/checkpoints', {
      token: key(),
      body: { thinking: text },
    })
    expect(added).toMatchObject({ status: 201, body: { attestation: { position: 52 } } })
    await t.app.rateAll()
    await t.settle()
    expect((await get('/v1/reputation/old-clerk')).body).toMatchObject({ checkpoint_count: 53 })
  })

  it('decides by the stored policy, and stores the decision', async () => {
    const { body } = await decide({ tool: 'mcp__shell__run' })
    expect(body).toMatchObject({ decision: 'block', reasons: [{ code: 'forbidden' }] })
    expect(await get(`/v1/decisions/${body.decision_id}`)).toMatchObject({ status: 200 })
  })
})

describe('escalations of version 0.1', () => {
  it('keep their status', async () => {
    const { pending, approved, used, rejected } = recorded.escalations
    const statusOf = async (id: string) => (await get(`/v1/escalations/${id}`)).body.status
    expect(await Promise.all([pending, approved, used, rejected].map(statusOf))).toEqual([
      'pending',
      'approved',
      'approved',
      'rejected',
    ])
  })

  it('can be approved, but cover no call with arguments, which 0.1 did not record', async () => {
    const { pending, approved } = recorded.escalations
    const answer = await t.call('POST', `/v1/escalations/${pending}/resolve`, {
      token: owner,
      body: { outcome: 'approve' },
    })
    expect(answer).toMatchObject({ status: 200, body: { status: 'approved' } })
    const call = { tool: 'search', arguments: { pii: true, n: 1 }, session_id: 's-1' }
    expect((await decide({ ...call, escalation_id: approved })).body).toMatchObject({
      decision: 'block',
      reasons: [{ code: 'escalation' }, { code: 'approval_mismatch' }],
    })
  })
})
