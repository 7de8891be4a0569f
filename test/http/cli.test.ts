import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TEST_PASSWORD } from '#harness/app.ts'
import { codeOf } from '#harness/authenticator.ts'
import { textOf } from '#harness/checkpoints.ts'
import { commandLine } from '#harness/cli.ts'
import { eventually } from '#harness/eventually.ts'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'

let w: ScoreWorld
let url: string
let dir: string
let agent: string

beforeAll(async () => {
  w = await scoreWorld({ ALLOW_LOOPBACK_EGRESS: 'true' })
  // The webhook receiver compares timestamps with the machine's clock.
  w.t.clock.set(new Date().toISOString())
  url = await w.t.app.server.listen({ port: 0, host: '127.0.0.1' })
  dir = await mkdtemp(join(tmpdir(), 'touchstone-cli-'))
  agent = await w.newAgent({ agent_id: 'rated-agent' })
  await w.sendCheckpoints(agent, 30, (n) => n === 7)
  await w.sendCheckpoints(agent, 30)
  await w.t.settle()
})

afterAll(() => rm(dir, { recursive: true }))

const { start, touchstone, json } = commandLine(() => ({ url, apiKey: w.t.first.api_key, dir }))

async function file(name: string, content: unknown): Promise<string> {
  const path = join(dir, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const get = async (path: string) => (await w.t.call('GET', path, { token: w.key })).body

describe('touchstone score', () => {
  it('acts as a gate if a minimum is given', async () => {
    expect(await touchstone(`score ${agent}`)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^score +\d+, \d+ at the lower end\nassured +\d+, assurance 0 unverified \(SELF_REPORTED, /m,
      ),
    })
    expect(
      await touchstone(`score ${agent} --min-score 10 --min-grade CCC --min-assurance 0`),
    ).toMatchObject({ code: 0 })
    expect(await json(`score ${agent} --min-score 10`)).toMatchObject({
      code: 1,
      body: { gate: { reasons: [expect.stringMatching(/^The assurance level is 0/)] } },
    })
    expect(await touchstone(`score ${agent} --min-score 10 --raw --conservative`)).toMatchObject({
      code: 2,
    })
    expect(await touchstone(`score ${agent} --min-assurance 1`)).toMatchObject({ code: 2 })
    expect(await json(`score ${agent} --min-score 1000 --min-assurance 0`)).toMatchObject({
      code: 1,
      body: {
        agent_id: agent,
        gate: { passed: false, reasons: [expect.stringContaining('1000')] },
      },
    })
    expect(await touchstone('score nobody-here --min-grade CCC')).toMatchObject({ code: 1 })
  })

  it('distinguishes an error from a score below the minimum', async () => {
    expect(await touchstone('score nobody-here')).toEqual({
      code: 2,
      out: '',
      err: 'touchstone: No such agent. (404 agent_not_found) "touchstone agents list" lists the agents.\n',
    })
    expect(await touchstone(`score ${agent} --min-score many`)).toMatchObject({ code: 2 })
    const { code, err } = await touchstone(`score ${agent} --min-score 1 --json`, {
      env: { url: 'http://127.0.0.1:1' },
    })
    expect([code, JSON.parse(err).error]).toEqual([2, 'unreachable'])
  })
})

describe('touchstone agents', () => {
  it('registers, lists, shows and archives', async () => {
    const card = await file('card.yaml', 'autonomy_envelope: {bounded_actions: [answer]}')
    const bad = await touchstone(['agents', 'register', 'new-agent', '--card', card])
    expect(bad).toMatchObject({ code: 2, err: expect.stringContaining('principal is required') })
    const created = await json(['agents', 'register', 'new-agent', '--name', 'New one'])
    expect(created).toMatchObject({
      code: 0,
      body: { agent: { agent_id: 'new-agent' }, api_key: expect.stringMatching(/^tsk_/) },
    })
    const decide = (agent_id: string) =>
      w.t.call('POST', '/v1/gateway/decide', {
        token: created.body.api_key,
        body: { agent_id, tool: 'search' },
      })
    expect((await decide('new-agent')).status).toBe(200)
    expect((await decide(agent)).status).toBe(404)
    const plain = await touchstone('agents register plain-agent --no-key')
    expect(plain.out).not.toContain('tsk_')
    const made = await json('agents key plain-agent --client mcp_guard')
    expect(made).toMatchObject({ code: 0, body: { agent_id: 'plain-agent', client: 'mcp_guard' } })
    const named = await w.t.call('POST', '/v1/gateway/decide', {
      token: made.body.api_key,
      body: { agent_id: 'plain-agent', tool: 'search' },
    })
    const decision = await get(`/v1/decisions/${named.body.decision_id}`)
    expect(decision.source).toBe('mcp_guard')
    expect((await touchstone('agents key plain-agent')).out).toMatch(
      /^ {2}export TOUCHSTONE_API_KEY=tsk_\S+\n {2}export TOUCHSTONE_AGENT=plain-agent$/m,
    )
    expect(await touchstone('agents key nobody-here')).toMatchObject({ code: 2 })
    const listed = await touchstone('agents list --search new-')
    expect(listed.out).toMatch(/^ID .*\nnew-agent +New one +active/)
    expect((await json('agents list --limit 1')).body.agents).toHaveLength(1)
    expect((await touchstone('agents show new-agent')).out).toMatch(/^name +New one$/m)
    expect(await touchstone('agents archive new-agent')).toMatchObject({ code: 2 })
    const owner = { input: `${w.t.first.password}\n` }
    expect(
      await json(['agents', 'archive', 'new-agent', '--email', w.t.first.email], owner),
    ).toEqual({
      code: 0,
      body: { agent_id: 'new-agent', archived: true },
    })
    expect((await json('agents list --status archived')).body.agents).toMatchObject([
      { agent_id: 'new-agent' },
    ])
  })
})

describe('touchstone checkpoints send', () => {
  const line = (text: string, more: object = {}) => JSON.stringify({ thinking: text, ...more })

  it('reads a file or standard input, batch by batch', async () => {
    await w.newAgent({ agent_id: 'sender' })
    const lines = Array.from({ length: 55 }, (_, n) => line(`Short thought ${n}.`))
    const path = await file('decisions.ndjson', `${lines.join('\n')}\n\n`)
    expect(await json(['checkpoints', 'send', path, '--agent', 'sender'])).toEqual({
      code: 0,
      body: {
        accepted: 55,
        duplicates: 0,
        rejected: 0,
        verdicts: {},
        not_judged: 55,
        refused: [],
      },
    })
    const judged = await file('judged.ndjson', [line(textOf(1)), line('Short.')].join('\n'))
    const shown = await touchstone(['checkpoints', 'send', judged, '--agent', 'sender'])
    expect(shown.out).toMatch(/^clear +1\nnot judged +1$/m)
    const input = line('One more.', { agent_id: 'sender' })
    expect((await json('checkpoints send', { input })).body.accepted).toBe(1)
    expect((await get('/v1/agents/sender/integrity')).total_checks).toBe(58)
  })

  it('names the refused lines', async () => {
    const input = [line('a', { agent_id: 'sender' }), line('b', { agent_id: 'nobody-here' })].join(
      '\n',
    )
    expect(await json('checkpoints send -', { input })).toMatchObject({
      code: 1,
      body: { accepted: 1, rejected: 1, refused: [{ line: 2, error: 'agent_not_found' }] },
    })
    expect(await touchstone('checkpoints send', { input: 'no json' })).toMatchObject({
      code: 2,
      err: 'touchstone: -, line 1: not a JSON object\n',
    })
    expect(await touchstone('checkpoints send missing.ndjson')).toMatchObject({ code: 2 })
  })
})

describe('touchstone verify', () => {
  it('accepts a bundle and a certificate only with the saved keys', async () => {
    const keys = await file('keys.json', (await touchstone('keys')).out)
    const bundle = join(dir, 'bundle.ndjson')
    expect(
      await touchstone(['export', agent, '--what', 'bundle', '--output', bundle]),
    ).toMatchObject({
      code: 0,
    })
    const offline = { env: { url: undefined, apiKey: undefined } }
    const verify = (kind: string, path: string) =>
      json(['verify', kind, path, '--keys', keys], offline)
    const { score } = await get(`/v1/reputation/${agent}`)
    expect(await verify('bundle', bundle)).toMatchObject({
      code: 0,
      body: { valid: true, about: { agent_id: agent, recomputed: { score } } },
    })
    const text = await readFile(bundle, 'utf8')
    const forged = await file('forged.ndjson', text.replace('"clear"', '"review_needed"'))
    expect(await verify('bundle', forged)).toMatchObject({ code: 1, body: { valid: false } })

    const { checkpoints } = await get(`/v1/agents/${agent}/checkpoints`)
    const certificate = await get(`/v1/checkpoints/${checkpoints[0].checkpoint_id}/certificate`)
    const path = await file('certificate.json', certificate)
    expect(await verify('certificate', path)).toMatchObject({
      code: 0,
      body: { valid: true, checks: { signature: true, chain: true, merkle: true } },
    })
    const changed = { ...certificate, timestamp: '2026-01-01T00:00:00.000Z' }
    expect(await verify('certificate', await file('changed.json', changed))).toMatchObject({
      code: 1,
    })
    expect(await touchstone(['verify', 'certificate', keys, '--keys', keys])).toMatchObject({
      code: 2,
    })
    expect(await touchstone(['verify', 'certificate', path, '--keys', path])).toMatchObject({
      code: 2,
    })
  })

  it('accepts a decision receipt for the call that it is about', async () => {
    const call = { order: 1182 }
    const { body } = await w.t.call('POST', '/v1/gateway/decide', {
      token: w.key,
      body: { agent_id: agent, tool: 'refund', arguments: call },
    })
    const args = async (given: object) => ['--arguments', await file('arguments.json', given)]
    const path = await file('decision.json', body)
    const verify = ['verify', 'receipt', path]
    expect(await json([...verify, ...(await args(call))])).toMatchObject({
      code: 0,
      body: {
        checks: { batch: true, signature: true, arguments: true },
        about: { tool: 'refund' },
      },
    })
    expect(await json([...verify, ...(await args({ order: 1 }))])).toMatchObject({
      code: 1,
      body: { checks: { signature: true, arguments: false }, fault: expect.any(String) },
    })
    const changed = await file(
      'changed.json',
      JSON.parse(JSON.stringify(body).replaceAll('"allow"', '"warn"')),
    )
    const { code, out } = await touchstone(['verify', 'receipt', changed])
    expect([code, ...(out.match(/^(form|batch|signature) .*$/gm) ?? [])]).toEqual([
      1,
      expect.stringMatching(/^form +ok$/),
      expect.stringMatching(/^batch +FAILED$/),
      expect.stringMatching(/^signature +ok$/),
    ])
  })

  it('refuses a receipt without a proof of the log, if a policy for the log is named', async () => {
    const { body } = await w.t.call('POST', '/v1/gateway/decide', {
      token: w.key,
      body: { agent_id: agent, tool: 'refund', arguments: {} },
    })
    const receipt = await file('decision.json', body)
    const policy = join(dir, 'policy.txt')
    await writeFile(policy, await (await fetch(`${url}/v1/log/policy`)).text())
    const { code, out } = await touchstone(['verify', 'receipt', receipt, '--policy', policy])
    expect([code, out]).toEqual([1, expect.stringMatching(/^log +FAILED$/m)])
    expect(out).toContain('has no proof of the log')
  })

  it('accepts the proof of a risk score on its own', async () => {
    const vector = new URL('../../vectors/proofs/accepted-row-1.json', import.meta.url).pathname
    const offline = { env: { url: undefined, apiKey: undefined } }
    expect(await json(['verify', 'receipt', vector], offline)).toMatchObject({
      code: 0,
      body: { checks: { proof_valid: true } },
    })
  })
})

const POLICY = {
  meta: { schema_version: '1.0', name: 'Files', scope: 'agent' },
  capability_mappings: { files: { tools: ['read_*'], card_actions: ['read'] } },
  forbidden: [{ pattern: '*delete*', reason: 'Nothing is deleted', severity: 'high' }],
}

describe('touchstone policy', () => {
  it('validates without a service', async () => {
    const offline = { env: { url: undefined, apiKey: undefined } }
    const good = await file('good.json', POLICY)
    const bad = await file('bad.yaml', 'meta: {name: x}')
    expect(await touchstone(['policy', 'validate', good], offline)).toMatchObject({ code: 0 })
    expect(await json(['policy', 'validate', good, bad], offline)).toMatchObject({
      code: 1,
      body: { files: [{ valid: true }, { valid: false }] },
    })
    const cases = [{ name: 'reads', tools: ['read_file'], verdict: 'pass' }]
    const tests = await file('tests.json', { policy: POLICY, cases })
    expect(await json(['policy', 'test', tests], offline)).toMatchObject({
      code: 0,
      body: { passed: 1 },
    })
    const failing = await file('failing.json', {
      policy: POLICY,
      cases: [{ ...cases[0], verdict: 'fail' }],
    })
    expect(await touchstone(['policy', 'test', failing], offline)).toMatchObject({ code: 1 })
    expect(await touchstone(['policy', 'test', bad], offline)).toMatchObject({ code: 2 })
  })

  it('applies a policy, and reports beforehand what it would change', async () => {
    const path = await file('policy.json', POLICY)
    const apply = ['policy', 'apply', path]
    expect(await touchstone(apply)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--agent'),
    })
    expect(await json([...apply, '--agent', agent])).toMatchObject({
      code: 0,
      body: { applied: true, policy: { version: 1 } },
    })
    const bad = await file('worse.json', { meta: POLICY.meta, forbidden: [{}] })
    expect(await json(['policy', 'apply', bad, '--agent', agent])).toMatchObject({ code: 1 })
    const draft = await file('draft.json', { ...POLICY, forbidden: [] })
    const impact = ['policy', 'impact', draft, '--agent', agent]
    expect(await json(impact)).toMatchObject({
      code: 0,
      body: { relation: 'looser', passed: true },
    })
    expect(await json([...impact, '--forbid-looser'])).toMatchObject({ code: 1 })
    expect(await touchstone([...impact, '--forbid-looser'])).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /^By the names of tools, the draft is looser than .*\nNewly allowed, for example: delete\nOf 0 past calls,/,
      ),
    })
  })

  it('names the agents that a policy applies to, and rejects flags that do not fit its scope', async () => {
    const ofScope = (scope: string) =>
      file(`${scope}.json`, { ...POLICY, meta: { ...POLICY.meta, scope } })
    const [own, team, org] = [await ofScope('agent'), await ofScope('team'), await ofScope('org')]
    const other = await w.newAgent({ agent_id: 'other-agent' })
    const body = { org_id: w.t.first.org_id, name: 'Desk', agent_ids: [agent, other] }
    const created = await w.t.call('POST', '/v1/teams', { token: w.key, body })
    const teamId = created.body.team.id
    const env = { agent: other }
    const apply = async (...words: string[]) =>
      (await touchstone(['policy', 'apply', ...words], { env })).out
    expect(await apply(own)).toMatch(
      /^pol-.+, version 1, is now in force for agent other-agent\.\n/,
    )
    expect(await apply(team, '--team', teamId)).toContain(`, is now in force for team ${teamId}.\n`)
    expect(await apply(org)).toContain(
      `, is now in force for the whole organisation (${w.t.first.org_id}).\n`,
    )
    expect((await json(['policy', 'apply', org])).body.holds_for).toEqual({
      scope: 'org',
      id: w.t.first.org_id,
    })

    const refused = (message: string) => ({
      code: 2,
      out: '',
      err: expect.stringContaining(message),
    })
    expect(await touchstone(['policy', 'apply', org, '--agent', agent])).toMatchObject(
      refused('Leave --agent out, or set meta.scope to agent.'),
    )
    expect(await touchstone(['policy', 'apply', own, '--team', teamId], { env })).toMatchObject(
      refused('Leave --team out, or set meta.scope to team.'),
    )
    expect(await touchstone(['policy', 'impact', org, '--agent', agent])).toMatchObject(
      refused('Leave --agent out'),
    )
    expect(await touchstone(['policy', 'impact', org], { env })).toMatchObject({ code: 0 })
    expect(await touchstone(['policy', 'impact', team])).toMatchObject(
      refused('scope agent or org'),
    )
  })

  it('fails the gate for any draft that stops less, whichever part makes it do so', async () => {
    const strict = await w.newAgent({ agent_id: 'strict-agent' })
    const trigger = { condition: "tool == 'read_file'", action: 'escalate', reason: 'Ask first' }
    const current = {
      ...POLICY,
      escalation_triggers: [trigger],
      defaults: { enforcement_mode: 'enforce' },
    }
    const path = await file('strict.json', current)
    expect(await touchstone(['policy', 'apply', path, '--agent', strict])).toMatchObject({
      code: 0,
    })
    const impact = async (draft: object) => {
      const drafted = await file('next.json', draft)
      return touchstone(['policy', 'impact', drafted, '--agent', strict, '--forbid-looser'])
    }
    expect(await impact(current)).toMatchObject({ code: 0 })
    const off = await impact({ ...POLICY, defaults: { enforcement_mode: 'off' } })
    expect(off.code).toBe(1)
    expect(off.out).toContain('By the names of tools, the draft is equal to the current policy.')
    expect(off.out).toContain(
      '\nNot compared: escalate triggers, enforcement mode; these depend on more than the tool name.\n',
    )
    expect(off.out).toContain(
      '\nMay allow calls that are stopped today: escalate triggers, enforcement mode\n',
    )
    expect(off.out).toContain(
      '\nFAILED the draft may allow calls that are stopped today: escalate triggers, enforcement mode\n',
    )
    const rule = { pattern: 'write_*', reason: 'Nothing is written', severity: 'high' }
    const stricter = await impact({ ...current, forbidden: [...POLICY.forbidden, rule] })
    expect(stricter).toMatchObject({
      code: 0,
      out: expect.stringContaining('Newly blocked, for example: write_\n'),
    })
  })
})

describe('touchstone reclassify and export', () => {
  it("record a violation's type, and write the export to a file", async () => {
    const { checkpoints } = await get(`/v1/agents/${agent}/checkpoints?verdict=boundary_violation`)
    const id = checkpoints[0].checkpoint_id
    const words = ['reclassify', agent, id, '--type', 'behavior_gap']
    expect(await touchstone(words)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--reason'),
    })
    expect(await json([...words, '--reason', 'It meant to', '--recompute'])).toMatchObject({
      code: 0,
      body: { new_type: 'behavior_gap', recompute: { agent_id: agent } },
    })
    const csv = await touchstone(`export ${agent} --format csv --section reclassifications`)
    expect(csv.out).toContain('It meant to')
    expect(JSON.parse((await touchstone(`export ${agent}`)).out).reclassifications).toHaveLength(1)
    expect(await touchstone('export nobody-here')).toMatchObject({ code: 2, out: '' })
  })
})

describe('touchstone webhooks listen', () => {
  it('prints deliveries until it is stopped', async () => {
    const stopping = new AbortController()
    const listening = start('webhooks listen --events integrity.* --json', {
      stop: stopping.signal,
    })
    await eventually(() => expect(listening.err()).toContain('Listening at'))
    await w.sendCheckpoints(agent, 1)
    await eventually(async () => {
      await w.t.settle()
      expect(listening.out()).toContain('integrity.checkpoint')
    })
    const [event] = listening.out().trim().split('\n')
    expect(JSON.parse(event ?? '')).toMatchObject({
      type: 'integrity.checkpoint',
      data: { agent_id: agent },
    })
    const [, port] = /localhost:(\d+)/.exec(listening.err()) ?? []
    const forged = await fetch(`http://localhost:${port}/hook`, { method: 'POST', body: '{}' })
    expect(forged.status).toBe(401)
    stopping.abort()
    expect(await listening.code).toBe(0)
    expect((await get(`/v1/orgs/${w.t.first.org_id}/webhooks`)).webhooks).toEqual([])
  })
})

describe('the event types of touchstone webhooks listen', () => {
  it('may be separated by commas or given in several flags', async () => {
    const stopping = new AbortController()
    const words = ['--events', 'integrity.*, trace.*', '--events', 'reputation.*']
    const listening = start(['webhooks', 'listen', ...words], { stop: stopping.signal })
    await eventually(() => expect(listening.err()).toContain('Listening at'))
    const { webhooks } = await get(`/v1/orgs/${w.t.first.org_id}/webhooks`)
    stopping.abort()
    expect(await listening.code).toBe(0)
    expect(webhooks).toMatchObject([{ event_types: ['integrity.*', 'trace.*', 'reputation.*'] }])
    expect((await touchstone('help webhooks listen')).out).toContain('--events TYPE,…')
  })
})

describe('touchstone login', () => {
  const nothing = { url: undefined, apiKey: undefined }

  it('stores the credentials of a first start, a given key, or a new key for an account', async () => {
    const config = join(dir, 'login.json')
    const env = { ...nothing, configFile: config }
    const credentials = await file('credentials.json', { ...w.t.first, base_url: url })
    const elsewhere = { ...env, url: 'http://127.0.0.1:1' }
    expect(
      await touchstone(['login', '--credentials', credentials], { env: elsewhere }),
    ).toMatchObject({ code: 0 })
    expect(JSON.parse(await readFile(config, 'utf8'))).toEqual({
      url,
      api_key: w.t.first.api_key,
      org_id: w.t.first.org_id,
    })
    expect(await touchstone(`agents show ${agent}`, { env })).toMatchObject({ code: 0 })
    expect(await json('doctor', { env })).toMatchObject({ code: 0, body: { ok: true } })

    const byEmail = ['login', '--url', url, '--email', w.t.first.email]
    expect(await touchstone(byEmail, { env, input: `${w.t.first.password}\n` })).toMatchObject({
      code: 0,
    })
    const { api_key: created } = JSON.parse(await readFile(config, 'utf8'))
    expect(created).not.toBe(w.t.first.api_key)
    expect(await json('doctor', { env })).toMatchObject({ code: 0 })
    expect(await touchstone('logout', { env })).toMatchObject({ code: 0, out: 'Logged out.\n' })
    expect(await json('doctor', { env })).toMatchObject({ code: 1, body: { ok: false } })
  })

  it('asks for the code of a second factor after the password', async () => {
    const { call, clock, newUser } = w.t
    const user = await newUser('factor@example.com', { orgId: w.t.first.org_id, role: 'member' })
    const { token } = user
    const body = { current_password: TEST_PASSWORD }
    const { secret } = (await call('POST', '/v1/auth/second-factor', { token, body })).body
    const confirm = { token, body: { code: codeOf(secret, clock.now()) } }
    await call('POST', '/v1/auth/second-factor/confirm', confirm)
    clock.advance(30_000)
    const env = { ...nothing, configFile: join(dir, 'factor.json') }
    const args = ['login', '--url', url, '--email', user.email]
    const bare = await touchstone(args, { env, input: `${TEST_PASSWORD}\n` })
    expect(bare).toMatchObject({ code: 2, err: expect.stringContaining('Code of your') })
    const input = `${TEST_PASSWORD}\n${codeOf(secret, clock.now())}\n`
    expect(await touchstone(args, { env, input })).toMatchObject({ code: 0 })
    expect(await json('doctor', { env })).toMatchObject({ code: 0 })
  })

  it('does not store a key that does not work', async () => {
    const env = { ...nothing, configFile: join(dir, 'never.json') }
    const given = { env, input: 'tsk_wrong' }
    expect(await touchstone(['login', '--url', url, '--key'], given)).toMatchObject({ code: 2 })
    expect(await touchstone(`agents show ${agent}`, { env })).toMatchObject({
      code: 2,
      err: expect.stringContaining('No service is configured.'),
    })
  })

  it('reads DATA_DIR if it is set, and names the folder that it searched', async () => {
    const env = { ...nothing, configFile: join(dir, 'found.json') }
    expect(await touchstone('login', { env })).toMatchObject({
      code: 2,
      err: expect.stringContaining(`There is no ${join(dir, '.touchstone', 'credentials.json')}.`),
    })
    const elsewhere = await touchstone('login', { env: { ...env, dataDir: 'data' } })
    expect(elsewhere.err).toContain(`There is no ${join(dir, 'data', 'credentials.json')}.`)
    expect(elsewhere.err).toContain('--data DIR')
    await mkdir(join(dir, 'data'))
    await file('data/credentials.json', { ...w.t.first, base_url: url })
    for (const dataDir of ['data', join(dir, 'data')]) {
      const result = await json('login', { env: { ...env, dataDir } })
      expect(result).toMatchObject({ code: 0, body: { url, org_id: w.t.first.org_id } })
    }
  })
})

describe('touchstone a2a card', () => {
  it('adds the links for verifying an agent', async () => {
    const input = JSON.stringify({ name: 'Desk', capabilities: { streaming: true } })
    const { code, out } = await touchstone(`a2a card ${agent}`, { input })
    const { extension_uri, ...params } = (await get(`/v1/reputation/${agent}`)).a2a_trust_extension
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      {
        name: 'Desk',
        capabilities: {
          streaming: true,
          extensions: [{ uri: extension_uri, required: false, params }],
        },
      },
    ])
  })

  it('says that it removed signatures, which no longer match the card', async () => {
    const signed = { name: 'Desk', signatures: [{ protected: 'e30', signature: 'AA' }] }
    const { code, out, err } = await touchstone(`a2a card ${agent}`, {
      input: JSON.stringify(signed),
    })
    expect(code).toBe(0)
    expect(JSON.parse(out)).not.toHaveProperty('signatures')
    expect(err).toMatch(/Removed 1 signature, because the card has changed/)
  })
})
