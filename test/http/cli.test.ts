import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'
import { COMMANDS } from '../../packages/cli/src/commands.ts'
import { run } from '../../packages/cli/src/run.ts'

let w: ScoreWorld
let url: string
let dir: string
let agent: string

beforeAll(async () => {
  w = await scoreWorld({ ALLOW_LOOPBACK_EGRESS: 'true' })
  // Whoever receives a webhook compares it with the machine's clock.
  w.t.clock.set(new Date().toISOString())
  url = await w.t.app.server.listen({ port: 0, host: '127.0.0.1' })
  dir = await mkdtemp(join(tmpdir(), 'touchstone-cli-'))
  agent = await w.newAgent({ agent_id: 'rated-agent' })
  await w.decide(agent, 30, (n) => n === 7)
  await w.decide(agent, 30)
  await w.t.settle()
})

afterAll(() => rm(dir, { recursive: true }))

type Given = { input?: string; env?: object; stop?: AbortSignal }

/** The command line in this process, with streams of its own and no login but the environment's. */
function start(line: string | readonly string[], { input = '', env = {}, stop }: Given = {}) {
  const stdout = new PassThrough()
  let out = ''
  let err = ''
  stdout.on('data', (chunk) => {
    out += String(chunk)
  })
  const code = run(typeof line === 'string' ? line.split(' ') : line, {
    commands: COMMANDS,
    env: {
      url,
      apiKey: w.t.first.api_key,
      orgId: undefined,
      agent: undefined,
      dataDir: undefined,
      configFile: join(dir, 'config.json'),
      version: '0',
      cwd: dir,
      all: {},
      ...env,
    },
    stdin: Readable.from(input === '' ? [] : [input]),
    stopSignal: () => stop ?? new AbortController().signal,
    color: false,
    hasProgress: false,
    stdout,
    stderr: (text) => {
      err += text
    },
  })
  return { code, out: () => out, err: () => err }
}

async function touchstone(line: string | readonly string[], given: Given = {}) {
  const { code, out, err } = start(line, given)
  return { code: await code, out: out(), err: err() }
}

async function json(line: string | readonly string[], given: Given = {}) {
  const words = typeof line === 'string' ? line.split(' ') : line
  const { code, out } = await touchstone([...words, '--json'], given)
  return { code, body: JSON.parse(out) }
}

async function file(name: string, content: unknown): Promise<string> {
  const path = join(dir, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const get = async (path: string) => (await w.t.call('GET', path, { token: w.key })).body

describe('touchstone score', () => {
  it('is a gate where a minimum is given', async () => {
    expect(await touchstone(`score ${agent}`)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^score +\d+, \d+ at the lower end$/m),
    })
    expect(await touchstone(`score ${agent} --min-score 10 --min-grade B`)).toMatchObject({
      code: 0,
    })
    expect(await json(`score ${agent} --min-score 1000`)).toMatchObject({
      code: 1,
      body: {
        agent_id: agent,
        gate: { passed: false, reasons: [expect.stringContaining('1000')] },
      },
    })
    expect(await touchstone('score nobody-here --min-grade CCC')).toMatchObject({ code: 1 })
  })

  it('tells what it could not find out from a no', async () => {
    expect(await touchstone('score nobody-here')).toEqual({
      code: 2,
      out: '',
      err: 'touchstone: No such agent. (404 agent_not_found)\n',
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
    const made = await json(['agents', 'register', 'new-agent', '--name', 'New one'])
    expect(made).toMatchObject({ code: 0, body: { agent: { agent_id: 'new-agent' } } })
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

  it('takes a file or standard input, batch by batch', async () => {
    await w.newAgent({ agent_id: 'sender' })
    const lines = Array.from({ length: 55 }, (_, n) => line(`Short thought ${n}.`))
    const path = await file('decisions.ndjson', `${lines.join('\n')}\n\n`)
    expect(await json(['checkpoints', 'send', path, '--agent', 'sender'])).toEqual({
      code: 0,
      body: { accepted: 55, duplicates: 0, rejected: 0, verdicts: { clear: 55 }, refused: [] },
    })
    const input = line('One more.', { agent_id: 'sender' })
    expect((await json('checkpoints send', { input })).body.accepted).toBe(1)
    expect((await get('/v1/agents/sender/integrity')).total_checks).toBe(56)
  })

  it('names the lines that were refused', async () => {
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
  it('accepts a bundle and a certificate with the keys that were kept, and no other', async () => {
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

  it('accepts the receipt of a decision, about the call it was about', async () => {
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
      body: { checks: { signature: true, arguments: true }, about: { tool: 'refund' } },
    })
    expect(await json([...verify, ...(await args({ order: 1 }))])).toMatchObject({ code: 1 })
  })

  it('accepts the proof of a risk score by itself', async () => {
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

  it('applies, and says beforehand what that would change', async () => {
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
        /^The draft is looser than .*\nNewly allowed, for example: delete\nOf 0 past calls,/,
      ),
    })
  })

  it('says for whom a policy holds, and takes no flag that does not fit its scope', async () => {
    const ofScope = (scope: string) =>
      file(`${scope}.json`, { ...POLICY, meta: { ...POLICY.meta, scope } })
    const [own, team, org] = [await ofScope('agent'), await ofScope('team'), await ofScope('org')]
    const other = await w.newAgent({ agent_id: 'other-agent' })
    const body = { org_id: w.t.first.org_id, name: 'Desk', agent_ids: [agent, other] }
    const made = await w.t.call('POST', '/v1/teams', { token: w.key, body })
    const teamId = made.body.team.id
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

    const refused = (told: string) => ({ code: 2, out: '', err: expect.stringContaining(told) })
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

  it('lets no draft through a gate that stops less, whatever it does so by', async () => {
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
    expect(off.out).toContain('The draft is equal to the current policy.')
    expect(off.out).toContain(
      '\nNot compared: escalate triggers, enforcement mode; these depend on more than the tool name.\n',
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
  it('say what a violation was, and write it down', async () => {
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
  it('prints what is delivered for as long as it runs', async () => {
    const stopping = new AbortController()
    const listening = start('webhooks listen --events integrity.* --json', {
      stop: stopping.signal,
    })
    await eventually(() => expect(listening.err()).toContain('Listening at'))
    await w.decide(agent, 1)
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

describe('the types that touchstone webhooks listen asks for', () => {
  it('may be listed with commas, and in several flags', async () => {
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

  it('keeps what a first start left, a key, or a new key for an account', async () => {
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
    const { api_key: made } = JSON.parse(await readFile(config, 'utf8'))
    expect(made).not.toBe(w.t.first.api_key)
    expect(await json('doctor', { env })).toMatchObject({ code: 0 })
    expect(await touchstone('logout', { env })).toMatchObject({ code: 0, out: 'Logged out.\n' })
    expect(await json('doctor', { env })).toMatchObject({ code: 1, body: { ok: false } })
  })

  it('does not keep a key that does not work', async () => {
    const env = { ...nothing, configFile: join(dir, 'never.json') }
    const given = { env, input: 'tsk_wrong' }
    expect(await touchstone(['login', '--url', url, '--key'], given)).toMatchObject({ code: 2 })
    expect(await touchstone(`agents show ${agent}`, { env })).toMatchObject({
      code: 2,
      err: expect.stringContaining('No service is configured.'),
    })
  })

  it('looks in DATA_DIR where that is set, and says where it looked', async () => {
    const env = { ...nothing, configFile: join(dir, 'found.json') }
    expect(await touchstone('login', { env })).toMatchObject({
      code: 2,
      err: expect.stringContaining(`There is no ${join(dir, '.touchstone', 'credentials.json')}.`),
    })
    const elsewhere = await touchstone('login', { env: { ...env, dataDir: 'data' } })
    expect(elsewhere.err).toContain(`There is no ${join(dir, 'data', 'credentials.json')}.`)
    expect(elsewhere.err).toContain('--credentials FILE')
    await mkdir(join(dir, 'data'))
    await file('data/credentials.json', { ...w.t.first, base_url: url })
    for (const dataDir of ['data', join(dir, 'data')]) {
      const told = await json('login', { env: { ...env, dataDir } })
      expect(told).toMatchObject({ code: 0, body: { url, org_id: w.t.first.org_id } })
    }
  })
})

describe('touchstone a2a card', () => {
  it('adds where the trust of an agent can be checked', async () => {
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
})
