import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'

let t: TestApp
let key: string
let agent = ''
let count = 0

beforeAll(async () => {
  t = await testApp()
  key = t.first.api_key
})

const card = (changes: object = {}) => ({
  principal: { type: 'human', relationship: 'delegated_authority' },
  values: { declared: ['transparency', 'honesty'] },
  autonomy_envelope: { bounded_actions: ['search'] },
  audit_commitment: { retention_days: 90, queryable: false },
  ...changes,
})

async function newAgent(body: object = { card: card() }): Promise<string> {
  count += 1
  agent = `card-agent-${count}`
  const created = await t.call('POST', '/v1/agents', {
    token: key,
    body: { agent_id: agent, ...body },
  })
  expect(created.status).toBe(201)
  return agent
}

const url = () => `/v1/agents/${agent}/card`
const get = (query = '', headers = {}) => t.call('GET', `${url()}${query}`, { token: key, headers })
const put = (body: unknown, headers = {}) => t.call('PUT', url(), { token: key, body, headers })
const patch = (body: unknown, headers = {}) => t.call('PATCH', url(), { token: key, body, headers })

describe('the card of an agent', () => {
  it('is a default card until one is written', async () => {
    await newAgent({})
    const read = await get()
    expect(read.headers['etag']).toBe('"v1"')
    expect(read.body).toMatchObject({ agent_id: agent, version: 1, is_active: true })
    expect(read.body.card_json).toMatchObject({
      aap_version: '0.5.0',
      principal: { type: 'unspecified', relationship: 'delegated_authority' },
      values: { declared: ['principal_benefit', 'transparency', 'honesty', 'harm_prevention'] },
      autonomy_envelope: { bounded_actions: ['inference'] },
      audit_commitment: { retention_days: 365, queryable: false },
    })
    expect(read.body.card_id).toMatch(/^ac-[0-9a-f-]{36}$/)
  })

  it('shows its conscience values only to the owning organisation', async () => {
    const value = { type: 'FEAR', name: 'haste', content: 'Acting before thinking.' }
    await newAgent({ card: { card_json: card(), conscience_values: [value] } })
    expect((await get()).body.conscience_values).toEqual([value])
    const outside = await t.call('GET', url())
    expect(outside.status).toBe(200)
    expect(outside.body).not.toHaveProperty('conscience_values')
    expect(outside.body).not.toHaveProperty('created_by')
  })

  it('is replaced by a new version, with one amendment per changed field', async () => {
    await newAgent()
    t.clock.advance(1000)
    const changed = card({ autonomy_envelope: { bounded_actions: ['search', 'web_fetch'] } })
    const answer = await put({ card_json: changed, reason: 'needs the web' })
    expect(answer.body).toMatchObject({ updated: true, version: 2 })
    expect(answer.body.amendment_ids).toEqual([expect.stringMatching(/^amend-[0-9a-f]{16}$/)])
    const amendments = await sql<Record<string, unknown>>`select field_changed, previous_value,
      new_value, reason, from_version, to_version from card_amendment
      where agent_id = ${agent}`.execute(t.app.kernel.db)
    expect(amendments.rows).toEqual([
      {
        field_changed: 'autonomy_envelope.bounded_actions',
        previous_value: ['search'],
        new_value: ['search', 'web_fetch'],
        reason: 'needs the web',
        from_version: 1,
        to_version: 2,
      },
    ])
    expect((await get('?version=1')).body).toMatchObject({ version: 1, is_active: false })
    expect((await get('?version=9')).body.error).toBe('not_found')
    const same = await put({ card_json: changed })
    expect(same.body).toMatchObject({ updated: false, version: 2, amendment_ids: [] })
    const history = await t.call('GET', `${url()}/history`, { token: key })
    expect(history.body).toMatchObject({ total: 2 })
    expect(history.body.versions[0]).toMatchObject({
      version: 2,
      is_active: true,
      reason: 'needs the web',
      changed_fields: ['autonomy_envelope.bounded_actions'],
    })
    expect((await t.call('GET', `/v1/agents/${agent}`)).body.card_version).toBe(2)
  })

  it('is patched as RFC 7396 defines', async () => {
    await newAgent()
    const answer = await patch({
      card_json: { values: { declared: ['transparency'] }, extensions: { 'x.y': { a: 1 } } },
    })
    expect(answer.body.card.values).toMatchObject({ declared: ['transparency'] })
    expect(answer.body.card.extensions).toEqual({ 'x.y': { a: 1 } })
    expect(answer.body.card.principal.type).toBe('human')
    const removed = await patch({ card_json: { extensions: null } })
    expect(removed.body.card).not.toHaveProperty('extensions')
    const polluted = await t.call('PATCH', url(), {
      token: key,
      body: '{"card_json":{"__proto__":{"polluted":true}}}',
      headers: { 'content-type': 'application/json' },
    })
    expect(polluted.status).toBeLessThan(500)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('is changed only if the caller has read the current version', async () => {
    await newAgent()
    const body = { card_json: { expires_at: '2030-01-01T00:00:00Z' } }
    const stale = await patch(body, { 'if-match': '"v7"' })
    expect(stale).toMatchObject({ status: 412, body: { error: 'precondition_failed' } })
    expect((await patch(body, { 'if-match': '"v1"' })).status).toBe(200)
    const read = await get('', { 'if-none-match': '"v2"' })
    expect(read.status).toBe(304)
  })

  it('has a separate ETag per representation, and each of them works with If-Match', async () => {
    await newAgent()
    const outside = await t.call('GET', url())
    const yaml = await get('', { accept: 'application/yaml' })
    const tags = [await get(), outside, yaml].map(({ headers }) => headers['etag'])
    expect(tags).toEqual(['"v1"', '"v1-public"', '"v1-yaml"'])
    for (const read of [outside, yaml]) {
      expect(read.headers['vary']).toBe('Accept, Authorization, X-Service-Api-Key')
    }
    expect((await get('', { 'if-none-match': '"v1-yaml", "v1-public"' })).status).toBe(200)
    const again = { accept: 'application/yaml', 'if-none-match': '"v1-yaml"' }
    expect((await get('', again)).status).toBe(304)
    expect((await put(card(), { 'if-match': '"v2-yaml"' })).status).toBe(412)
    expect((await put(card(), { 'if-match': '"v1-yaml"' })).status).toBe(200)
  })

  it('never loses a concurrent update', async () => {
    await newAgent()
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => patch({ card_json: { extensions: { [`n${n}`]: n } } })),
    )
    expect(answers.map((a) => a.body.version).sort()).toEqual([2, 3, 4, 5, 6, 7])
    expect(Object.keys((await get()).body.card_json.extensions)).toHaveLength(6)
  })

  it('is written and read as YAML, without aliases or custom tags', async () => {
    await newAgent()
    const yaml = (body: string | Buffer) => put(body, { 'content-type': 'application/yaml' })
    const good = await yaml(
      'principal: {type: human, relationship: advisory}\nvalues: {declared: [honesty]}\nautonomy_envelope: {bounded_actions: [search]}\naudit_commitment: {retention_days: 30, queryable: false}\n',
    )
    expect(good.body.card.principal.relationship).toBe('advisory')
    const read = await get('', { accept: 'text/yaml' })
    expect(read.headers['content-type']).toContain('yaml')
    expect(read.text).toContain('relationship: advisory')
    for (const bad of [
      'a: &x [1]\nb: *x\n',
      'a: !!js/function x\n',
      'a: 1\n---\nb: 2\n',
      'a: [\n',
      'a: 1\na: 2\n',
      '<<: {a: 1}\n: x: y: z',
      '{1: 1}',
      '- '.repeat(100_000),
      '[a, '.repeat(50_000),
      Buffer.from([0x61, 0x3a, 0x20, 0xff]),
    ]) {
      const answer = await yaml(bad)
      expect(answer, String(bad).slice(0, 40)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', details: [{ code: 'parse_error' }] },
      })
    }
    expect((await put('{"a":1}', { 'content-type': 'text/plain' })).status).toBe(415)
  })

  it('is refused as YAML beyond 262,144 bytes, compressed or not', async () => {
    await newAgent()
    const large = `# ${'x'.repeat(262_144)}\n`
    const headers = { 'content-type': 'text/yaml' }
    const packed = { ...headers, 'content-encoding': 'gzip' }
    const refused = { status: 413, body: { error: 'payload_too_large' } }
    expect(await put(large, headers)).toMatchObject(refused)
    expect(await put(gzipSync(large), packed)).toMatchObject(refused)
  })

  it('is validated without being stored', async () => {
    await newAgent()
    const validate = (body: object) => t.call('POST', `${url()}/validate`, { token: key, body })
    expect((await validate(card())).body).toMatchObject({ valid: true, errors: [] })
    const wrong = await validate(card({ expires_at: '2020-01-01T00:00:00Z' }))
    expect(wrong.body.valid).toBe(false)
    expect(wrong.body.errors[0].code).toBe('expired')
    const unknown = await validate(card({ values: { declared: ['punctuality'] } }))
    expect(unknown.body.warnings.map((w: { code: string }) => w.code)).toContain(
      'missing_definition',
    )
    expect((await get()).body.version).toBe(1)
  })

  it('refuses a card_id that another agent uses', async () => {
    await newAgent({ card: card({ card_id: 'shared-card-id' }) })
    expect((await get()).body.card_id).toBe('shared-card-id')
    count += 1
    const other = await t.call('POST', '/v1/agents', {
      token: key,
      body: { agent_id: `card-agent-${count}`, card: card({ card_id: 'shared-card-id' }) },
    })
    expect(other.status).toBe(409)
    const again = await put(card({ card_id: 'shared-card-id', values: { declared: ['honesty'] } }))
    expect(again.body.card_id).not.toBe('shared-card-id')
  })

  it('is evidence: the database refuses to update or delete a version', async () => {
    await newAgent()
    const db = t.app.kernel.db
    const update = sql`update card_version set reason = 'x' where agent_id = ${agent}`.execute(db)
    await expect(update).rejects.toThrow('never changed')
    const remove = sql`delete from card_version where agent_id = ${agent}`.execute(db)
    await expect(remove).rejects.toThrow('never changed')
  })
})
