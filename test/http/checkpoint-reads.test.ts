import { beforeAll, describe, expect, it } from 'vitest'
import {
  checkpointWorld,
  MENTION,
  newCheckpointId,
  textOf,
  VIOLATION,
  type World,
} from '#harness/checkpoints.ts'

const BASE = Date.parse('2026-03-01T08:00:00.000Z')
const at = (seconds: number) => new Date(BASE + seconds * 1000).toISOString()

let w: World
beforeAll(async () => {
  w = await checkpointWorld()
})

const list = async (agentId: string, query = '') =>
  w.get(`/v1/agents/${agentId}/checkpoints${query}`)

describe('anti-gaming', () => {
  /** Eleven in a row, with ten gaps that are equal to within a few milliseconds. */
  async function uniform(world: World, lastSaid = '', jitterMs = 5) {
    const agentId = await world.newAgent()
    const answers = []
    for (let n = 0; n < 11; n += 1) {
      const timestamp = new Date(BASE + n * 10_000 + (n === 10 ? jitterMs : 0)).toISOString()
      const thinking = textOf(n, n === 10 ? lastSaid : '')
      answers.push((await world.post(agentId, { thinking, timestamp })).body.checkpoint)
    }
    return { agentId, answers }
  }

  it('flags a uniform pace and excludes its clear checkpoint from the scoring set', async () => {
    const { agentId, answers } = await uniform(w)
    for (const one of answers.slice(0, 10)) {
      expect(one).toMatchObject({ flags: [], excluded_from_score: false })
    }
    expect(answers[10]).toMatchObject({ flags: ['uniform_timing'], excluded_from_score: true })
    expect(await w.integrity(agentId)).toMatchObject({ total_checks: 11, analyzed_checks: 10 })
    const [session] = (await w.get(`/v1/agents/${agentId}/sessions`)).body.sessions
    expect(session).toMatchObject({ checkpoint_count: 11, analyzed_count: 11 })
    const flagged = await list(agentId, '?flagged=true')
    expect(flagged.body.checkpoints).toEqual([{ ...answers[10], log_index: null }])
    expect((await list(agentId, '?flagged=false')).body.total).toBe(10)
  })

  it('finds no uniform pace if gaps differ by six milliseconds', async () => {
    const { answers } = await uniform(w, '', 6)
    expect(answers[10].flags).toEqual([])
  })

  it('cannot hide a violation behind a flag', async () => {
    const { agentId, answers } = await uniform(w, VIOLATION)
    expect(answers[10]).toMatchObject({ flags: ['uniform_timing'], excluded_from_score: false })
    expect(await w.integrity(agentId)).toMatchObject({
      analyzed_checks: 11,
      violation_count: 1,
      latest_verdict: 'boundary_violation',
    })
  })

  it('flags the fourth identical text within a day, sent singly or in one batch', async () => {
    const day = 86_400
    const post = async (agentId: string, seconds: number, changes: object = {}) => {
      const timestamp = new Date(Date.parse('2026-02-20T00:00:00Z') + seconds * 1000).toISOString()
      const body = { thinking: textOf(1), output: textOf(2), timestamp, ...changes }
      return (await w.post(agentId, body)).body.checkpoint
    }
    const agentId = await w.newAgent()
    const flags = []
    for (const seconds of [0, 100, 250]) flags.push((await post(agentId, seconds)).flags)
    expect(flags).toEqual([[], [], []])
    expect((await post(agentId, 470, { output: textOf(3) })).flags).toEqual(['low_novelty'])
    expect((await post(agentId, day)).flags).toEqual(['identical_content', 'low_novelty'])
    // The first three are more than a day older, and the fourth alone is not enough.
    expect((await post(agentId, day + 251)).flags).toEqual(['low_novelty'])
    const together = await w.newAgent()
    const ids = Array.from({ length: 5 }, newCheckpointId)
    await w.batch(
      ids.map((checkpoint_id) => ({ agent_id: together, checkpoint_id, thinking: textOf(4) })),
    )
    const read = await Promise.all(ids.map((id) => w.get(`/v1/checkpoints/${id}`)))
    expect(read.map((one) => one.body.excluded_from_score)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ])
  })

  it('considers only analysed checkpoints of the same agent', async () => {
    const [one, two] = [await w.newAgent(), await w.newAgent()]
    for (const agentId of [one, one, two]) await w.post(agentId, { thinking: textOf(5) })
    for (let n = 0; n < 4; n += 1) {
      const { body } = await w.post(one, { thinking: 'The same.' })
      expect(body.checkpoint.flags).toEqual([])
    }
    expect((await w.post(one, { thinking: textOf(5) })).body.checkpoint.flags).toEqual([])
  })

  it('records flags without excluding anything if ANTI_GAMING=record', async () => {
    const recording = await checkpointWorld({ ANTI_GAMING: 'record' })
    const { agentId, answers } = await uniform(recording)
    expect(answers[10]).toMatchObject({ flags: ['uniform_timing'], excluded_from_score: false })
    expect(await recording.integrity(agentId)).toMatchObject({
      analyzed_checks: 11,
      clear_count: 11,
    })
  })
})

describe('the integrity figures of an agent', () => {
  it('are zero before its first checkpoint', async () => {
    const agentId = await w.newAgent()
    expect(await w.integrity(agentId)).toEqual({
      agent_id: agentId,
      total_checks: 0,
      analyzed_checks: 0,
      clear_count: 0,
      review_count: 0,
      violation_count: 0,
      integrity_ratio: 0,
      latest_verdict: null,
    })
    expect((await w.get(`/v1/agents/${agentId}/sessions`)).body).toEqual({
      sessions: [],
      total: 0,
      page: 1,
      per_page: 20,
    })
  })

  it('cover the scoring set, except for the total', async () => {
    const agentId = await w.newAgent()
    for (const [n, said] of ['', '', MENTION, VIOLATION, ''].entries()) {
      await w.post(agentId, { thinking: textOf(n, said) })
    }
    for (const [n, said] of ['', '', '', ''].entries()) {
      await w.post(agentId, { thinking: textOf(9, said), session_id: `s${n}` })
    }
    await w.post(agentId, { thinking: 'Short.' })
    expect(await w.integrity(agentId)).toEqual({
      agent_id: agentId,
      total_checks: 10,
      analyzed_checks: 8,
      clear_count: 6,
      review_count: 1,
      violation_count: 1,
      integrity_ratio: 0.75,
      latest_verdict: 'clear',
    })
  })

  it('are listed by session, the latest first, in pages', async () => {
    const agentId = await w.newAgent()
    const post = (session: string, seconds: number, n: number, said = '') =>
      w.post(agentId, { thinking: textOf(n, said), session_id: session, timestamp: at(seconds) })
    await post('alpha', 100, 1)
    await post('alpha', 50, 2, MENTION)
    await post('beta', 300, 3, VIOLATION)
    await w.post(agentId, { thinking: 'Short.', session_id: 'beta', timestamp: at(500) })
    await post('gamma', 300, 4)
    const page = async (query: string) =>
      (await w.get(`/v1/agents/${agentId}/sessions${query}`)).body
    expect(await page('')).toEqual({
      sessions: [
        {
          session_id: 'beta',
          checkpoint_count: 2,
          analyzed_count: 1,
          verdicts: { clear: 0, review_needed: 0, boundary_violation: 1 },
          stable: true,
          started_at: at(300),
          last_at: at(500),
        },
        {
          session_id: 'gamma',
          checkpoint_count: 1,
          analyzed_count: 1,
          verdicts: { clear: 1, review_needed: 0, boundary_violation: 0 },
          stable: true,
          started_at: at(300),
          last_at: at(300),
        },
        {
          session_id: 'alpha',
          checkpoint_count: 2,
          analyzed_count: 2,
          verdicts: { clear: 1, review_needed: 1, boundary_violation: 0 },
          stable: true,
          started_at: at(50),
          last_at: at(100),
        },
      ],
      total: 3,
      page: 1,
      per_page: 20,
    })
    const second = await page('?page=2&per_page=2')
    expect(second).toMatchObject({ sessions: [{ session_id: 'alpha' }], total: 3, per_page: 2 })
    expect(await page('?page=3&per_page=2')).toMatchObject({ sessions: [], total: 3 })
  })
})

describe('the list of checkpoints', () => {
  const SAID = ['', MENTION, '', VIOLATION, '', '']
  let agentId: string
  let ids: string[]
  beforeAll(async () => {
    agentId = await w.newAgent()
    ids = SAID.map(newCheckpointId).sort()
    for (const [n, said] of SAID.entries()) {
      await w.post(agentId, {
        checkpoint_id: ids[n],
        thinking: n === 4 ? 'Short.' : textOf(n, said),
        session_id: n < 3 ? 'first' : 'second',
        // The third and the fourth have the same timestamp.
        timestamp: at([0, 10, 30, 30, 70, 50][n] ?? 0),
      })
    }
  })
  const idsOf = async (query: string) => {
    const { body } = await list(agentId, query)
    const found: string[] = body.checkpoints.map(
      (one: { checkpoint_id: string }) => one.checkpoint_id,
    )
    return { found, total: body.total }
  }
  const pick = (...numbers: number[]) => numbers.map((n) => ids[n])

  it('is sorted newest first by timestamp, then by id, and paged', async () => {
    const { body } = await list(agentId)
    expect(body).toMatchObject({ total: 6, page: 1, per_page: 20 })
    expect((await idsOf('')).found).toEqual(pick(4, 5, 2, 3, 1, 0))
    expect(await idsOf('?page=2&per_page=4')).toEqual({ found: pick(1, 0), total: 6 })
    expect(await idsOf('?page=9&per_page=4')).toEqual({ found: [], total: 6 })
    expect((await list(agentId, '?per_page=1000')).body.per_page).toBe(100)
    expect(body.checkpoints[0]).toEqual((await w.get(`/v1/checkpoints/${ids[4]}`)).body)
  })

  it.each<[string, number[]]>([
    ['verdict=review_needed', [1]],
    ['verdict=boundary_violation', [3]],
    ['verdict=clear', [4, 5, 2, 0]],
    ['session_id=second', [4, 5, 3]],
    ['session_id=unknown', []],
    ['synthetic=true', [4]],
    ['synthetic=false', [5, 2, 3, 1, 0]],
    ['flagged=true', []],
    ['flagged=false', [4, 5, 2, 3, 1, 0]],
    [`from=${at(30)}`, [4, 5, 2, 3]],
    [`to=${at(30)}`, [2, 3, 1, 0]],
    [`from=${at(10)}&to=${at(30)}&verdict=clear`, [2]],
    [`from=${encodeURIComponent('2026-03-01T09:00:50.000+01:00')}`, [4, 5]],
  ])('filters by %s', async (query, numbers) => {
    expect(await idsOf(`?${query}`)).toEqual({ found: pick(...numbers), total: numbers.length })
  })

  it.each([
    'verdict=fine',
    'synthetic=perhaps',
    'flagged=2',
    'from=yesterday',
    'to=2026-03-01T12:00:00',
    'page=0',
    'per_page=0',
  ])('answers 400 to %s', async (query) => {
    expect(await list(agentId, `?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
  })
})
