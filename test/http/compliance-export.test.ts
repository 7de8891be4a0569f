import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { newCheckpointId, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'
import { tamper } from '../../packages/server/src/areas/evidence/attestation/attestation.fixture.ts'

const DAY_MS = 86_400_000

let w: ScoreWorld
let agentId: string
/** The agent's violations, oldest first. */
const ids: string[] = []
let number = 0

/**
 * An agent with a score and two violations a day apart, one of them reclassified and commented on.
 */
beforeAll(async () => {
  w = await scoreWorld()
  agentId = await w.newAgent()
  await w.sendCheckpoints(agentId, 48)
  ids.push(await violate())
  w.t.clock.advance(DAY_MS)
  ids.push(await violate())
  w.t.clock.advance(1000)
  const amendmentId = await amend()
  expect((await comment(ids[0], 'The operator asked for this.')).status).toBe(201)
  const body = {
    checkpoint_id: ids[0],
    reason: '=HYPERLINK("http://evil.example")',
    card_amendment_id: amendmentId,
  }
  const url = `/v1/agents/${agentId}/reclassify`
  const token = await w.t.ownerToken()
  expect((await w.t.call('POST', url, { token, body })).status).toBe(200)
  w.t.clock.advance(1000)
  expect((await w.recompute(agentId)).body.score_after).not.toBeNull()
})

async function violate(of = agentId): Promise<string> {
  number += 1
  w.t.clock.advance(60_000 + number * 137)
  const checkpointId = newCheckpointId()
  const thinking = textOf(5000 + number, VIOLATION)
  expect((await w.post(of, { checkpoint_id: checkpointId, thinking })).status).toBe(201)
  return checkpointId
}

const comment = (checkpointId: string | undefined, text: string) =>
  w.t.call('POST', `/v1/agents/${agentId}/violations/${checkpointId}/comments`, {
    token: w.key,
    body: { text },
  })

async function amend(): Promise<string> {
  const body = { card_json: { autonomy_envelope: { forbidden_actions: ['share_credentials'] } } }
  const answer = await w.t.call('PATCH', `/v1/agents/${agentId}/card`, { token: w.key, body })
  expect(answer.status).toBe(200)
  return answer.body.amendment_ids[0]
}

const fetchExport = (query = '', token: string | undefined = w.key, of = agentId) =>
  w.get(`/v1/agents/${of}/compliance-export${query}`, token)

const listed = async (path: string) => (await w.get(`/v1/agents/${agentId}/${path}`)).body

type Line = Record<string, unknown>
const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Parses CSV whose cells contain no line breaks. */
const rowsOf = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\r\n')
    .map((row) =>
      [...row.matchAll(/(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/g)]
        .map((cell) => cell[1]?.replaceAll('""', '"') ?? cell[2] ?? '')
        // The last match of a row is the empty string at its end.
        .slice(0, -1),
    )

describe('the export of an agent', () => {
  it('contains what the lists show, oldest first', async () => {
    const { status, body } = await fetchExport()
    expect(status).toBe(200)
    const { violations } = await listed('violations')
    const { reclassifications } = await listed('reclassifications')
    const { card_amendments } = await listed('card-amendments')
    expect(body).toEqual({
      agent_id: agentId,
      export_date: w.t.clock.now().toISOString(),
      violations: violations.toReversed(),
      reclassifications: [{ agent_id: agentId, ...reclassifications[0] }],
      card_amendments: card_amendments.toReversed(),
      score_history: (await w.history(agentId)).toReversed(),
      integrity_chain_valid: true,
    })
    expect(body.violations).toMatchObject([
      {
        checkpoint_id: ids[0],
        counts_against_score: false,
        loosened_by: [],
        comments: [{ text: 'The operator asked for this.' }],
      },
      {
        checkpoint_id: ids[1],
        counts_against_score: true,
        // The amendment allowed the action within a day of this violation.
        loosened_by: [body.card_amendments.at(-1).amendment_id],
        comments: [],
      },
    ])
    expect(body.reclassifications).toHaveLength(1)
    expect(body.reclassifications[0].score_impact.recomputation_pending).toBe(false)
    expect(body.card_amendments.at(-1).linked_reclassification_id).toBe(
      body.reclassifications[0].reclassification_id,
    )
    expect(body.score_history.length).toBeGreaterThan(0)
  })

  it('is an attachment named after agent and day, and is not cached', async () => {
    const day = w.t.clock.now().toISOString().slice(0, 10).replaceAll('-', '')
    for (const [format, type] of [
      ['json', 'application/json; charset=utf-8'],
      ['ndjson', 'application/x-ndjson'],
      ['csv', 'text/csv; charset=utf-8; header=present'],
    ]) {
      const { headers } = await fetchExport(`?format=${format}`)
      expect(headers).toMatchObject({
        'content-type': type,
        'content-disposition': `attachment; filename="compliance-${agentId}-${day}.${format}"`,
        'cache-control': 'no-store',
      })
    }
  })

  it('as NDJSON has counts, and a hash of all preceding bytes in its last line', async () => {
    const { text } = await fetchExport('?format=ndjson')
    const whole = (await fetchExport()).body
    const lines = linesOf(text)
    expect(lines).toEqual([
      {
        record: 'header',
        agent_id: agentId,
        export_date: whole.export_date,
        integrity_chain_valid: true,
      },
      ...whole.violations.map((one: Line) => ({ record: 'violation', ...one })),
      ...whole.reclassifications.map((one: Line) => ({ record: 'reclassification', ...one })),
      ...whole.card_amendments.map((one: Line) => ({ record: 'card_amendment', ...one })),
      ...whole.score_history.map((one: Line) => ({ record: 'snapshot', ...one })),
      {
        record: 'trailer',
        counts: {
          violations: 2,
          reclassifications: 1,
          card_amendments: whole.card_amendments.length,
          snapshots: whole.score_history.length,
        },
        sha256: createHash('sha256')
          .update(text.slice(0, text.lastIndexOf('{"record":"trailer"')))
          .digest('hex'),
      },
    ])
  })

  it.each([
    ['', 'violations'],
    ['&section=violations', 'violations'],
    ['&section=reclassifications', 'reclassifications'],
    ['&section=card_amendments', 'card_amendments'],
    ['&section=score_history', 'score_history'],
  ])('as CSV (%s) has the fields of %s as columns', async (query, section) => {
    const { text } = await fetchExport(`?format=csv${query}`)
    const records: Line[] = (await fetchExport()).body[section]
    const cellOf = (value: unknown) => {
      if (value === null) return ''
      const cell = typeof value === 'object' ? JSON.stringify(value) : String(value)
      return /^[=+\-@]/.test(cell) ? `'${cell}` : cell
    }
    expect(rowsOf(text)).toEqual([
      Object.keys(records[0] ?? {}),
      ...records.map((record) => Object.values(record).map(cellOf)),
    ])
  })

  it('escapes spreadsheet formulas', async () => {
    const { text } = await fetchExport('?format=csv&section=reclassifications')
    expect(text).toContain(`"'=HYPERLINK(""http://evil.example"")"`)
  })

  it('is limited by from and to, both inclusive', async () => {
    const { violations, reclassifications } = (await fetchExport()).body
    const [first, second] = violations.map((one: { detected_at: string }) => one.detected_at)
    const idsIn = async (query: string) =>
      (await fetchExport(query)).body.violations.map((one: Line) => one['checkpoint_id'])
    expect(await idsIn(`?from=${second}`)).toEqual([ids[1]])
    expect(await idsIn(`?to=${first}`)).toEqual([ids[0]])
    expect(await idsIn(`?from=${first}&to=${second}`)).toEqual(ids)
    const { body } = await fetchExport(`?to=${first}`)
    expect(body).toMatchObject({ reclassifications: [], card_amendments: [] })
    const later = await fetchExport(`?from=${reclassifications[0].created_at}`)
    expect(later.body).toMatchObject({ violations: [], reclassifications })
    const week = (await fetchExport('?from=2000-01-01T00:00:00Z&to=2000-02-01T00:00:00Z')).body
    expect(week.score_history).toEqual([])
  })
})

describe('an export', () => {
  it('of an agent without activity is empty and has a valid chain', async () => {
    const idle = await w.newAgent()
    const { body } = await fetchExport('', w.key, idle)
    expect(body).toMatchObject({
      violations: [],
      reclassifications: [],
      card_amendments: [],
      score_history: [],
      integrity_chain_valid: true,
    })
    const lines = linesOf((await fetchExport('?format=ndjson', w.key, idle)).text)
    expect(lines.map(({ record }) => record)).toEqual(['header', 'trailer'])
    const table = await fetchExport('?format=csv&section=reclassifications', w.key, idle)
    expect(rowsOf(table.text)).toHaveLength(1)
  })

  it('contains every row exactly once, even if many share a timestamp', async () => {
    const many = await w.newAgent()
    const first = await violate(many)
    // Copies rows in the database; the export only reads them.
    const columns = `session_id, card_id, occurred_at, created_at, provider, model, verdict,
      violation_type, concerns, reasoning_summary, conscience_context, analyzer, analysis_model,
      analysis_duration_ms, confidence, analysis_details, flags, excluded,
      cross_validation_warnings, thinking_hash, card_hash, values_hash, context_hash,
      template_version, content_key, record_hash, chain_hash`
    await tamper(
      w.t.app.kernel.db,
      sql`insert into checkpoint (agent_id, position, checkpoint_id, ${sql.raw(columns)})
        select agent_id, n, 'ic-copy-' || n, ${sql.raw(columns)} from checkpoint,
          generate_series(1, 1200) as n where checkpoint_id = ${first}`,
    )
    await tamper(
      w.t.app.kernel.db,
      sql`update chain_head set length = 1201 where agent_id = ${many}`,
    )
    const { text } = await fetchExport('?format=csv', w.key, many)
    const found = rowsOf(text).map(([checkpointId]) => checkpointId)
    const copies = Array.from({ length: 1200 }, (_, at) => `ic-copy-${at + 1}`)
    expect(found).toEqual(['checkpoint_id', first, ...copies])
  })

  it('reports a broken chain', async () => {
    const broken = await w.newAgent()
    const checkpointId = await violate(broken)
    await tamper(
      w.t.app.kernel.db,
      sql`update checkpoint set verdict = 'review_needed' where checkpoint_id = ${checkpointId}`,
    )
    expect((await fetchExport('', w.key, broken)).body.integrity_chain_valid).toBe(false)
    const [header] = linesOf((await fetchExport('?format=ndjson', w.key, broken)).text)
    expect(header).toMatchObject({ integrity_chain_valid: false })
  })

  it('is available for an archived agent', async () => {
    const gone = await w.newAgent()
    const checkpointId = await violate(gone)
    const owner = await w.t.ownerToken()
    await w.t.call('DELETE', `/v1/agents/${gone}`, { token: owner })
    const { status, body } = await fetchExport('', owner, gone)
    expect(status).toBe(200)
    expect(body.violations).toMatchObject([{ checkpoint_id: checkpointId }])
  })

  it.each([
    '?format=xml',
    '?section=violations',
    '?format=ndjson&section=violations',
    '?format=csv&section=comments',
    '?from=yesterday',
    '?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z',
  ])('is refused with invalid parameters: %s', async (query) => {
    expect(await fetchExport(query)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
  })

  it('is allowed for owners, admins and auditors of the organisation', async () => {
    const auditor = await w.t.newUser('auditor@example.com', { orgId: w.org, role: 'auditor' })
    const member = await w.t.newUser('member@example.com', { orgId: w.org, role: 'member' })
    expect((await fetchExport('', auditor.token)).status).toBe(200)
    expect((await fetchExport('', member.token)).status).toBe(403)
    expect((await fetchExport('', '')).status).toBe(401)
    const missing = { status: 404, body: { error: 'agent_not_found' } }
    expect(await fetchExport('', w.foreign)).toMatchObject(missing)
    expect(await fetchExport('', w.key, 'no-such-agent')).toMatchObject(missing)
  })
})
