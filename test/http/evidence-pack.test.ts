import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTouchstone } from '@touchstone/sdk'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { commandLine } from '#harness/cli.ts'
import { unzip } from '#harness/unzip.ts'

let t: TestApp
let owner: string
let packs: string
const folder = mkdtempSync(join(tmpdir(), 'touchstone-pack-'))
const pack = join(folder, 'pack')
const policy = join(folder, 'policy.txt')
let baseUrl: string
const { start } = commandLine(() => ({ url: baseUrl, apiKey: t.first.api_key, dir: folder }))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ok = async (method: string, url: string, body?: unknown, token = owner) => {
  const answer = await t.call(method, url, { token, ...(body === undefined ? {} : { body }) })
  expect(answer.status, `${method} ${url}: ${answer.text}`).toBeLessThan(300)
  return answer.body
}

const periodOf = (daysBefore: number, daysAfter: number) => ({
  from: new Date(t.clock.nowMs() - daysBefore * 86_400_000).toISOString(),
  to: new Date(t.clock.nowMs() + daysAfter * 86_400_000).toISOString(),
})

/** Runs the verifier of the unpacked file with nothing but Node. */
const verify = (where: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['verify.mjs', ...args], {
    cwd: where,
    encoding: 'utf8',
    env: {},
  })
  return { status, said: stdout + stderr }
}

/** Changes one file of a copy of the pack, and verifies that. */
const verifyChanged = (name: string, change: (text: string) => string) => {
  const copy = join(folder, 'changed')
  rmSync(copy, { recursive: true, force: true })
  cpSync(pack, copy, { recursive: true })
  const text = readFileSync(join(copy, name), 'utf8')
  const changed = change(text)
  expect(changed).not.toBe(text)
  writeFileSync(join(copy, name), changed)
  return verify(copy, '--policy', policy)
}

const withoutLine = (wanted: string) => (text: string) => {
  const all = text.split('\n')
  all.splice(
    all.findIndex((one) => one.includes(wanted)),
    1,
  )
  return all.join('\n')
}

const download = async (packId: string, to: string) => {
  const { rawPayload } = await t.app.server.inject({
    url: `${packs}/${packId}/download`,
    headers: { authorization: `Bearer ${owner}` },
  })
  return unzip(rawPayload, to)
}

beforeAll(async () => {
  t = await testApp()
  baseUrl = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
  owner = await t.ownerToken()
  packs = `/v1/orgs/${t.first.org_id}/evidence-pack`
  for (const id of ['clerk', 'other']) await ok('POST', '/v1/agents', { agent_id: id, card: CARD })
  const rule = { condition: "tool == 'refund'", action: 'escalate', reason: 'People refund' }
  await ok('PUT', '/v1/agents/clerk/enforcement', { mode: 'enforce' })
  await ok('PUT', '/v1/agents/clerk/policy', {
    meta: { schema_version: '1.0', name: 'Rules', scope: 'agent' },
    capability_mappings: {},
    forbidden: [],
    escalation_triggers: [rule],
    defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
  })
  await t.app.sequenceLog()
  // The policy is older than the period.
  await t.clock.advance(20 * 86_400_000)
  owner = await t.ownerToken()
  const checkpoints = Array.from({ length: 3 }, (_, n) => ({
    agent_id: 'clerk',
    session_id: 's1',
    thinking: textOf(n, n === 1 ? VIOLATION : ''),
  }))
  await ok('POST', '/v1/checkpoints/batch', { checkpoints })
  const decided = await Promise.all(
    ['search', 'read', 'write'].map((tool) =>
      ok('POST', '/v1/gateway/decide', { agent_id: 'clerk', tool }, t.first.api_key),
    ),
  )
  const outcome = `/v1/decisions/${decided[0].decision_id}/outcome`
  await ok('POST', outcome, { status: 'executed' }, t.first.api_key)
  for (const amount of [5, 6]) {
    const call = { agent_id: 'clerk', tool: 'refund', arguments: { amount } }
    const asked = await ok('POST', '/v1/gateway/decide', call, t.first.api_key)
    if (amount === 6) continue
    await ok('POST', `/v1/escalations/${asked.escalation_id}/resolve`, { outcome: 'approve' })
  }
  const other = { agent_id: 'other', tool: 'search' }
  await ok('POST', '/v1/gateway/decide', other, t.first.api_key)
  const clerk = `/v1/orgs/${t.first.org_id}/agents/clerk`
  await ok('POST', `${clerk}/pause`, { reason: 'A look at it.' })
  await ok('POST', `${clerk}/resume`, { reason: 'It is fine.' })
  await t.app.sequenceLog()
  writeFileSync(policy, (await t.call('GET', '/v1/log/policy')).text)
})

describe('an evidence pack', () => {
  it('is built in the background and shows its progress', async () => {
    const { pack_id: packId } = await ok('POST', packs, periodOf(10, 1))
    const queued = await ok('GET', `${packs}/${packId}`)
    expect(queued).toMatchObject({ status: 'queued', progress: 0, bytes: null })
    const again = await t.call('POST', packs, { token: owner, body: periodOf(10, 1) })
    expect(again.status).toBe(409)
    const early = await t.call('GET', `${packs}/${packId}/download`, { token: owner })
    expect(early.status).toBe(409)
    await t.settle()
    const ready = await ok('GET', `${packs}/${packId}`)
    expect(ready).toMatchObject({ status: 'ready', progress: 100, error: null })
    expect((await ok('GET', packs)).packs).toEqual([ready])
    const names = await download(packId, pack)
    expect(names).toEqual(
      expect.arrayContaining(['manifest.json', 'verify.mjs', 'index.html', 'controls.csv']),
    )
  })

  it('is verified as complete with nothing but Node', () => {
    const { status, said } = verify(pack, '--policy', policy)
    expect(said).toContain('complete: every logged entry')
    expect(status).toBe(0)
    expect(said).not.toContain('WARNING')
    expect(said).toMatch(/decisions +6\n/)
    expect(said).toMatch(/approvals +1\n/)
    expect(said).toMatch(/policies +1\n/)
  })

  it('says whose keys it had to believe', () => {
    const { status, said } = verify(pack)
    expect(status).toBe(0)
    expect(said).toContain('WARNING: without --policy or --vkey')
    const [, vkey = ''] = /^log (\S+)/m.exec(readFileSync(policy, 'utf8')) ?? []
    expect(verify(pack, '--vkey', vkey).status).toBe(0)
    const stranger = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
    expect(verify(pack, '--vkey', stranger).status).toBe(1)
  })

  it('is not complete without one of its lines, and says which', () => {
    const lines: [string, string, RegExp][] = [
      ['records/decisions.ndjson', '"kind":"decision"', /decision \d of \d in the batch of entry/],
      [
        'records/decisions.ndjson',
        '"kind":"batch"',
        /entry \d+ \(decisions, .*opened by no record/,
      ],
      ['records/outcomes.ndjson', '"status"', /entry \d+ \(outcome, .*opened by no record/],
      ['records/approvals.ndjson', '"approve"', /entry \d+ \(approval, .*opened by no record/],
      ['records/checkpoints.ndjson', '"nonce"', /entry \d+ \(checkpoint, .*opened by no record/],
      ['records/containment.ndjson', '"nonce"', /entry \d+ \(containment, .*opened by no record/],
      ['log/entries.ndjson', '"outcome"', /has \d+ entries instead of \d+/],
      ['proofs.ndjson', '"index":12,', /the proof of entry \d+ .*is missing/],
    ]
    for (const [name, text, reason] of lines) {
      const { status, said } = verifyChanged(name, withoutLine(text))
      expect(status, name).toBe(1)
      expect(said, name).toMatch(reason)
      expect(said, name).toContain('not complete')
    }
  })

  it('is refused with a changed record, entry, detail or checkpoint', () => {
    const changes: [string, string, string, RegExp][] = [
      ['records/decisions.ndjson', '"tool":"read"', '"tool":"rm"', /not those of the batch/],
      ['records/outcomes.ndjson', '"executed"', '"failed"', /not that of entry/],
      ['records/checkpoints.ndjson', '"verdict":"', '"verdict":"x', /detail is not what/],
      ['records/containment.ndjson', 'A look at it.', 'No reason.', /detail is not what/],
      ['records/policies.ndjson', 'People refund', 'Nobody refunds', /detail is not what/],
      ['log/entries.ndjson', '"type":"outcome"', '"type":"approval"', /do not lead to the root/],
      ['log/checkpoint', '/log\n', '/log\n1', /does not verify/],
      ['controls.csv', 'Record-keeping', 'Anything', /not the file that manifest/],
    ]
    for (const [name, text, other, reason] of changes) {
      const { status, said } = verifyChanged(name, (before) => before.replace(text, other))
      expect(status, name).toBe(1)
      expect(said, name).toMatch(reason)
    }
  })

  it('shows a person every call that needed one, and the controls', () => {
    const page = readFileSync(join(pack, 'index.html'), 'utf8')
    expect(page).toMatch(/refund<\/td><td>approve by owner@localhost/)
    expect(page).toMatch(/class="gap"><td>[^<]*<\/td><td>clerk<\/td><td>refund<\/td><td>Nobody/)
    const controls = readFileSync(join(pack, 'controls.csv'), 'utf8')
    for (const id of ['Article 12', 'A.6.2.8', 'CC8.1', 'ASI01', 'MANAGE 2.4']) {
      expect(controls).toContain(id)
    }
  })

  it('is built and downloaded by the command line and by programs', async () => {
    const { from, to } = periodOf(10, 1)
    const client = createTouchstone({ baseUrl, token: t.first.api_key })
    const request = { from, to, frameworks: ['soc2' as const] }
    const { pack_id } = await client.evidencePacks.request(t.first.org_id, request)
    const running = start([
      'pack',
      'download',
      pack_id,
      '--output',
      join(folder, 'soc2.zip'),
      '--json',
    ])
    await t.settle()
    expect(await running.code, running.err()).toBe(0)
    const file = readFileSync(join(folder, 'soc2.zip'))
    const { sha256 } = await client.evidencePacks.get(t.first.org_id, pack_id)
    expect(createHash('sha256').update(file).digest('hex')).toBe(sha256)
    expect(JSON.parse(running.out())).toMatchObject({ pack_id, bytes: file.length, sha256 })
    const downloaded = await client.evidencePacks.download(t.first.org_id, pack_id)
    expect(Buffer.from(await downloaded.arrayBuffer())).toEqual(file)
    const soc2 = join(folder, 'soc2')
    unzip(file, soc2)
    expect(readFileSync(join(soc2, 'controls.csv'), 'utf8')).not.toContain('Article 12')
    expect(verify(soc2, '--policy', policy).status).toBe(0)
  })

  it('names what was erased instead of leaving it out', async () => {
    await ok('DELETE', '/v1/agents/other')
    await sql`delete from log_salt where agent_id = 'clerk'`.execute(t.app.kernel.db)
    const { pack_id: packId } = await ok('POST', packs, periodOf(10, 1))
    await t.settle()
    const erased = join(folder, 'erased')
    await download(packId, erased)
    const { status, said } = verify(erased, '--policy', policy)
    expect(status).toBe(1)
    expect(said).toMatch(/entry \d+ \(checkpoint, .*cannot be opened/)
    expect(readFileSync(join(erased, 'index.html'), 'utf8')).toContain('cannot be opened')
  })

  it('is for people who oversee the organisation', async () => {
    const orgId = t.first.org_id
    const member = await t.newUser('member@example.com', { orgId, role: 'member' })
    const auditor = await t.newUser('auditor@example.com', { orgId, role: 'auditor' })
    const stranger = await t.newUser('stranger@example.com')
    expect((await t.call('GET', packs, { token: auditor.token })).status).toBe(200)
    expect((await t.call('GET', packs, { token: member.token })).status).toBe(403)
    expect((await t.call('GET', packs, { token: stranger.token })).status).toBe(404)
  })

  it('refuses periods that end before they begin or last too long', async () => {
    const wrong = [periodOf(0, -1), periodOf(400, 0), { from: 'yesterday', to: 'today' }]
    for (const body of wrong) {
      expect((await t.call('POST', packs, { token: owner, body })).status).toBe(400)
    }
  })

  it('expires', async () => {
    await t.clock.advance(8 * 86_400_000)
    owner = await t.ownerToken()
    expect((await ok('GET', packs)).packs).toEqual([])
  })
})
