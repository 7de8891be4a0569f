import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { commandLine } from '#harness/cli.ts'
import { eventually } from '#harness/eventually.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const AGENT = 'cli-desk'
const POLICY = {
  meta: { schema_version: '1.0', name: 'Desk', scope: 'agent' },
  capability_mappings: { all: { tools: ['search', 'refund'], card_actions: ['serve'] } },
  forbidden: [{ pattern: 'shell_*', reason: 'No \u001b[2Jshell', severity: 'critical' }],
  escalation_triggers: [
    { condition: "tool == 'refund'", action: 'escalate', reason: 'Refunds need \u009bapproval' },
  ],
  defaults: { enforcement_mode: 'enforce', grace_period_hours: 0 },
}
const CARD = {
  principal: { type: 'organization', relationship: 'delegated_authority' },
  values: { declared: ['honesty'] },
  autonomy_envelope: { bounded_actions: ['serve'] },
  audit_commitment: { retention_days: 90, queryable: false },
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for exactly these
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/

let t: TestApp
let url: string
let dir: string
const { start, touchstone, json } = commandLine(() => ({ url, apiKey: t.first.api_key, dir }))

const decide = async (tool: string, more: object = {}) => {
  const body = { agent_id: AGENT, tool, ...more }
  const answer = await t.call('POST', '/v1/gateway/decide', { token: t.first.api_key, body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

beforeAll(async () => {
  t = await testApp()
  url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
  dir = await temporaryDir()
  const token = t.first.api_key
  await t.call('POST', '/v1/agents', { token, body: { agent_id: AGENT, card: CARD } })
  const put = await t.call('PUT', `/v1/agents/${AGENT}/policy`, { token, body: POLICY })
  expect(put.status, put.text).toBe(200)
})

describe('touchstone decisions list', () => {
  it('prints a table, filters, and prints everything as JSON', async () => {
    const allowed = await decide('search', { session_id: 's1' })
    const blocked = await decide('shell_run', { session_id: 's1' })
    const all = await touchstone(`decisions list --agent ${AGENT} --session s1`)
    expect(all.code).toBe(0)
    expect(all.out).toMatch(/^ID +TIME +DECISION +AGENT +TOOL +OUTCOME +REASON\n/)
    expect(all.out).toContain('No \uFFFD[2Jshell')
    expect(all.out).not.toMatch(CONTROL)
    expect(all.out.indexOf(blocked.decision_id)).toBeLessThan(all.out.indexOf(allowed.decision_id))
    const refused = await json('decisions list --session s1 --decision block --decision escalate')
    expect(refused.body.decisions).toMatchObject([{ decision_id: blocked.decision_id }])
    expect((await json('decisions list --session s1 --limit 1')).body.decisions).toHaveLength(1)
    expect(await touchstone('decisions list --session nowhere')).toMatchObject({
      code: 0,
      out: 'No decisions found.\n',
    })
  })

  it('takes dates, and reports what the service refuses', async () => {
    const day = t.clock.now().toISOString().slice(0, 10)
    const later = await json('decisions list --from 2999-01-01')
    expect(later).toMatchObject({ code: 0, body: { decisions: [] } })
    expect((await json(`decisions list --from ${day}`)).body.decisions.length).toBeGreaterThan(0)
    expect(await touchstone('decisions list --from tomorrow')).toMatchObject({
      code: 2,
      err: expect.stringContaining('from'),
    })
    expect(await touchstone('decisions list --decision maybe')).toMatchObject({
      code: 2,
      err: expect.stringContaining('must be one of: allow, warn, escalate, block'),
    })
  })
})

describe('touchstone decisions show', () => {
  it('describes a decision without control characters', async () => {
    const blocked = await decide('shell_run', { session_id: 's2', call_id: 'call 7' })
    const { code, out } = await touchstone(`decisions show ${blocked.decision_id}`)
    expect(code).toBe(0)
    expect(out).toMatch(/^decision +block$/m)
    expect(out).toMatch(/^call +call 7$/m)
    expect(out).toMatch(/^outcome +stopped before it ran$/m)
    expect(out).toContain('No \uFFFD[2Jshell (forbidden, policy, critical)')
    expect(out).not.toMatch(CONTROL)
    expect((await json(`decisions show ${blocked.decision_id}`)).body).toMatchObject({
      decision_id: blocked.decision_id,
      receipt: blocked.receipt,
    })
    expect(await touchstone('decisions show dec-none')).toMatchObject({ code: 2 })
  })

  it('prints a receipt that verifies', async () => {
    const args = { order: 7 }
    const { decision_id, receipt } = await decide('search', { arguments: args })
    const { out } = await touchstone(`decisions show ${decision_id} --receipt`)
    expect(JSON.parse(out)).toEqual(receipt)
    await writeFile(join(dir, 'receipt.json'), out)
    await writeFile(join(dir, 'arguments.json'), JSON.stringify(args))
    const verified = await touchstone([
      'verify',
      'receipt',
      join(dir, 'receipt.json'),
      '--arguments',
      join(dir, 'arguments.json'),
    ])
    expect(verified, await readFile(join(dir, 'receipt.json'), 'utf8')).toMatchObject({ code: 0 })
  })
})

describe('touchstone decisions tail', () => {
  it('prints new decisions, one line each, until it is stopped', async () => {
    const before = await decide('search', { session_id: 'tail' })
    const stopping = new AbortController()
    const stop = stopping.signal
    const all = start('decisions tail --session tail', { stop })
    const refused = start('decisions tail --session tail --decision block --last 0 --json', {
      stop,
    })
    await eventually(() => {
      for (const one of [all, refused]) expect(one.err()).toContain('Connected')
    })
    expect(all.out()).toContain(before.decision_id)
    const blocked = await decide('shell_run', { session_id: 'tail' })
    await eventually(() => {
      expect(all.out()).toContain(blocked.decision_id)
      expect(refused.out()).toContain(blocked.decision_id)
    })
    await decide('shell_run', { session_id: 'elsewhere' })
    stopping.abort()
    expect(await Promise.all([all.code, refused.code])).toEqual([0, 0])
    expect(all.out().trim().split('\n')).toHaveLength(2)
    expect(all.out()).not.toMatch(CONTROL)
    expect(JSON.parse(refused.out())).toMatchObject({ tool: 'shell_run', decision: 'block' })
  })
})

describe('touchstone decisions export', () => {
  it('writes checked NDJSON or CSV to standard output or a file', async () => {
    const { decision_id } = await decide('search', { session_id: 'export' })
    await decide('shell_run', { session_id: 'export' })
    const printed = await touchstone('decisions export --session export')
    expect(printed, printed.err).toMatchObject({ code: 0, err: '' })
    const lines = printed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ record }) => record)).toEqual(['header', 'decision', 'decision', 'trailer'])
    expect(lines[2]).toMatchObject({ decision_id, receipt: { statement: { decision_id } } })
    const file = join(dir, 'decisions.ndjson')
    const saved = await json(`decisions export --session export --output ${file}`)
    expect(saved).toEqual({
      code: 0,
      body: { file, bytes: (await readFile(file)).length, decisions: 2 },
    })
    const csv = await touchstone('decisions export --session export --decision block --format csv')
    expect(csv.out.trim().split('\r\n')).toHaveLength(2)
    expect(await touchstone('decisions export --output /nowhere/at/all')).toMatchObject({ code: 2 })
  })
})

describe('touchstone decisions stats', () => {
  it('counts by decision, with every interval, or by tool', async () => {
    await decide('search', { session_id: 'stats' })
    const { body } = await json('decisions stats --interval day')
    const { out } = await touchstone('decisions stats --interval day')
    expect(out).toMatch(/^START .*ALLOW.* P50 MS +P99 MS\n/)
    expect(out).toMatch(/^total /m)
    expect(body.totals.allow).toBeGreaterThan(0)
    const byTool = await touchstone('decisions stats --interval day --by tool')
    expect(byTool.out).toMatch(/^search +\d+$/m)
    expect(
      await touchstone('decisions stats --interval day --from 2001-01-01 --to 2001-01-02'),
    ).toMatchObject({
      out: 'No decisions found.\n',
    })
  })
})

describe('touchstone approvals', () => {
  const ask = async (session: string) =>
    (
      await decide('refund', {
        session_id: session,
        arguments: { amount: 60, note: 'a\u009b31m\u202eb' },
        justification: 'The parcel is back.\nstatus   approved\u001b[1A',
      })
    ).escalation_id

  it('lists and shows what waits, without control characters', async () => {
    const id = await ask('a1')
    const listed = await touchstone('approvals list')
    expect(listed.out).toContain(id)
    expect(listed.out).toContain('Refunds need \uFFFDapproval')
    const shown = await touchstone(`approvals show ${id}`)
    expect(shown.out).toMatch(/^status +pending$/m)
    expect(shown.out).toMatch(/^session +a1$/m)
    expect(shown.out).toContain('(not shown to this key; sign in with --email; SHA-256 ')
    const { email, password } = t.first
    const seen = await touchstone(`approvals show ${id} --email ${email}`, {
      input: `${password}\n`,
    })
    expect(seen.out).toContain(
      'arguments\n  {\n    "amount": 60,\n    "note": "a\\u009b31m\\u202eb"\n  }',
    )
    expect(seen.out).toMatch(/^ {2}The parcel is back\.\n {2}status {3}approved\uFFFD\[1A$/m)
    expect(seen.out).not.toMatch(/^status +approved/m)
    for (const { out } of [listed, shown, seen]) expect(out).not.toMatch(CONTROL)
    const raw = await touchstone(`approvals show ${id} --json`)
    expect(raw.out).toContain('Refunds need \\u009bapproval')
    expect((await json('approvals list --status rejected')).body.escalations).toEqual([])
    expect((await json('approvals list --agent nobody')).body.escalations).toEqual([])
  })

  it('resolves them as a person, with a note, and not with a key that lacks the scope', async () => {
    const [first, second] = [await ask('a2'), await ask('a3')]
    const { email, password } = t.first
    const input = `${password}\n`
    expect(await touchstone(`approvals approve ${first}`)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/403/),
    })
    const approved = await touchstone(
      [
        'approvals',
        'approve',
        first,
        '--note',
        'Parcel seen',
        '--scope',
        'call',
        '--minutes',
        '5',
        '--email',
        email,
      ],
      { input },
    )
    expect(approved, approved.err).toMatchObject({ code: 0 })
    expect(approved.out).toMatch(/^status +approved$/m)
    expect(approved.out).toMatch(/^note +Parcel seen$/m)
    expect(approved.out).toMatch(/^scope +call$/m)
    expect(approved.out).toMatch(/^approvals +1 of 1$/m)
    const wide = await touchstone(`approvals approve ${second} --scope session --email ${email}`, {
      input,
    })
    expect(wide, 'the policy does not allow the scope').toMatchObject({ code: 2 })
    expect(await touchstone(`approvals approve ${second} --minutes 90`)).toMatchObject({ code: 2 })
    const rejected = await json(`approvals reject ${second} --email ${email}`, { input })
    expect(rejected).toMatchObject({ code: 0, body: { status: 'rejected' } })
    const again = await touchstone(`approvals reject ${second} --email ${email}`, { input })
    expect(again.code).toBe(2)
    expect((await json('approvals list --status approved')).body.escalations).toMatchObject([
      { escalation_id: first },
    ])
  })
})
