import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '#harness/app.ts'
import { textOf } from '#harness/checkpoints.ts'
import {
  EXAMPLE_A,
  EXAMPLE_B,
  EXAMPLE_C,
  type ScoreWorld,
  scoreWorld,
  seedAgents,
} from '#harness/scores.ts'

let w: ScoreWorld
beforeAll(async () => {
  w = await scoreWorld()
})

const DAY_MS = 24 * 3_600_000
const rowsOf = async <Row>(query: ReturnType<typeof sql<Row>>) =>
  (await query.execute(w.t.app.kernel.db)).rows
const computedCount = async () => {
  const { registry } = w.t.app.kernel.metrics
  const { values } = (await registry
    .getSingleMetric('touchstone_scores_computed_total')
    ?.get()) ?? {
    values: [],
  }
  return values.reduce((sum, one) => sum + one.value, 0)
}
const scoreOf = async (agentId: string) => (await w.score(agentId)).body.score

describe('a first score', () => {
  it('is computed with the fiftieth checkpoint, with both events', async () => {
    const agentId = await w.newAgent()
    await w.sendCheckpoints(agentId, 49)
    await w.t.settle()
    expect((await w.score(agentId)).body).toMatchObject({ score: null, checkpoint_count: 49 })
    expect(await w.reputationEvents(agentId)).toEqual([])
    await w.post(agentId, { thinking: 'Too short to count.' })
    await w.t.settle()
    expect(await w.reputationEvents(agentId)).toEqual([])

    w.t.clock.advance(1234)
    await w.sendCheckpoints(agentId, 1)
    await w.t.settle()
    const { body } = await w.score(agentId)
    expect(body).toMatchObject({ score: 875, grade: 'AA', checkpoint_count: 50 })
    expect(await w.reputationEvents(agentId)).toEqual([
      {
        type: 'reputation.grade_changed',
        data: { agent_id: agentId, grade_before: 'NR', grade_after: 'AA', score: 875 },
      },
      {
        type: 'reputation.score_changed',
        data: {
          agent_id: agentId,
          score_before: null,
          score_after: 875,
          grade: 'AA',
          components: {
            integrity_ratio: 1000,
            compliance: 1000,
            drift_stability: 1000,
            trace_completeness: 0,
            coherence_compatibility: 750,
          },
        },
      },
    ])
    const [published] = await rowsOf(sql<{ tree_size: number; root: Buffer; chain_length: number }>`
      select tree_size, root, chain_length from score where agent_id = ${agentId}`)
    expect(published).toMatchObject({ tree_size: 50, chain_length: 51 })
    const tree = await w.t.call('GET', `/v1/agents/${agentId}/merkle-root`, { token: w.key })
    expect(published?.root.toString('hex')).toBe(tree.body.merkle_root)
  })

  it('and its explanation do not change because of more checkpoints alone', async () => {
    const agentId = await w.newAgent()
    await w.sendCheckpoints(agentId, 50, (n) => n === 7)
    await w.t.settle()
    const { body: before } = await w.score(agentId)
    expect(before.score).toBeLessThan(875)
    w.t.clock.advance(120_000)
    await w.sendCheckpoints(agentId, 5, () => true)
    await w.t.settle()
    w.t.clock.advance(120_000)
    // The number of violations is that of now, the score that of its computation.
    const reclassified = { card_gap: 0, of: 6 }
    expect((await w.score(agentId)).body).toEqual({ ...before, reclassified })
    await w.nextHour()
    const { body: after } = await w.score(agentId)
    expect(after).toMatchObject({ checkpoint_count: 55, computed_at: '2026-03-01T13:00:00.000Z' })
    expect(after.score).toBeLessThan(before.score)
  })

  it('is not computed from checkpoints that anti-gaming excludes', async () => {
    const agentId = await w.newAgent()
    await w.sendCheckpoints(agentId, 39)
    const start = w.t.clock.nowMs() - 1_000_000
    const even = Array.from({ length: 14 }, (_, n) => ({
      agent_id: agentId,
      thinking: textOf(n),
      timestamp: new Date(start + n * 60_000).toISOString(),
    }))
    await w.batch(even)
    await w.t.settle()
    // A uniform pace is only detected after ten checkpoints.
    expect((await w.score(agentId)).body).toMatchObject({ score: null, checkpoint_count: 49 })
    expect(await w.integrity(agentId)).toMatchObject({ total_checks: 53, analyzed_checks: 49 })
  })
})

describe('the hourly run', () => {
  it('can be started and processed twice without announcing anything twice', async () => {
    const agentId = await w.agentWith(EXAMPLE_B)
    w.t.clock.advance(3_600_000)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.app.kernel.jobs.runDue()
    const copied = await sql`insert into job (kind, payload, run_at, created_at)
      select kind, payload, run_at, created_at from job
      where kind = 'scores.batch'`.execute(w.t.app.kernel.db)
    expect(Number(copied.numAffectedRows)).toBeGreaterThan(0)
    await w.t.settle()
    expect(await scoreOf(agentId)).toBe(875)
    expect(await w.reputationEvents(agentId)).toHaveLength(2)
    const left = await rowsOf(sql`select 1 from score_batch union all
      select 1 from job where kind like 'scores.%'`)
    expect(left).toEqual([])
  })

  it('is shared between nodes, and run once at start if it was missed while they were down', async () => {
    const agentId = await w.agentWith(EXAMPLE_B)
    const fired = () =>
      rowsOf(sql<{ fired_at: Date }>`select fired_at from schedule_run
      where schedule = 'scores' order by fired_at desc limit 1`)
    w.t.clock.set('2026-03-01T20:59:59.000Z')
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    w.t.clock.set('2026-03-02T03:20:00.000Z')
    // Starting a node looks for missed runs.
    const other = await testApp({ databaseUrl: w.t.databaseUrl, clock: w.t.clock })
    expect((await fired())[0]?.fired_at.toISOString()).toBe('2026-03-02T03:00:00.000Z')
    const runs = await rowsOf(sql`select 1 from job where kind = 'schedule.scores'`)
    expect(runs).toHaveLength(1)
    await Promise.all([other.settle(), w.t.settle()])
    expect(await scoreOf(agentId)).toBe(875)
    expect((await w.score(agentId)).body.computed_at).toBe('2026-03-02T03:20:00.000Z')
    expect(await w.reputationEvents(agentId)).toHaveLength(2)
  })

  it('announces changes above ten points and every change of grade, and nothing else', async () => {
    const steps = async (...traces: number[]) => {
      const agentId = await w.agentWith({ clear: 100, traces: traces[0] ?? 0 })
      await w.recompute(agentId)
      await sql`delete from event where data ->> 'agent_id' = ${agentId}`.execute(w.t.app.kernel.db)
      for (const stored of traces.slice(1)) {
        await sql`update trace_tally set stored = ${stored}, verified = ${stored} where agent_id = ${agentId}`.execute(
          w.t.app.kernel.db,
        )
        await w.nextHour()
      }
      return (await w.reputationEvents(agentId)).map(({ type, data }) => [type, data])
    }
    // Ten points of trace completeness are one point of the score, which is 875 without traces.
    expect(await steps(1, 11)).toEqual([])
    const [moved] = await steps(1, 12)
    expect(moved).toEqual([
      'reputation.score_changed',
      expect.objectContaining({ score_before: 876, score_after: 887, grade: 'AA' }),
    ])
    const [grade, score, ...more] = await steps(24, 25)
    expect(grade).toEqual([
      'reputation.grade_changed',
      expect.objectContaining({ grade_before: 'AA', grade_after: 'AAA', score: 900 }),
    ])
    expect(score).toEqual([
      'reputation.score_changed',
      expect.objectContaining({ score_before: 899, score_after: 900, grade: 'AAA' }),
    ])
    expect(more).toEqual([])
  })
})

describe('the trend', () => {
  it('compares with the last score from at least 30 days ago, as in the example', async () => {
    const agentId = await w.agentWith(EXAMPLE_B)
    await sql`insert into score_log (agent_id, at, score) values
      (${agentId}, '2026-01-10T00:00:00Z', 700), (${agentId}, '2026-02-05T00:00:00Z', 740)
    `.execute(w.t.app.kernel.db)
    const trendAt = async (time: string) => {
      w.t.clock.set(time)
      await w.recompute(agentId)
      return (await w.score(agentId)).body.trend_30d
    }
    // The January entry is used until the February one is 30 days old.
    expect(await trendAt('2026-03-02T12:00:00.000Z')).toBe(175)
    expect(await trendAt('2026-03-06T23:59:59.999Z')).toBe(175)
    expect(await trendAt('2026-03-07T00:00:00.000Z')).toBe(135)
    const log = await rowsOf(sql<{ score: number }>`select score from score_log
      where agent_id = ${agentId} order by at`)
    expect(log.map((entry) => entry.score)).toEqual([700, 740, 875])
    expect((await w.badge(agentId, '?variant=score_trend')).text).toContain('875 ↑')
  })

  it('keeps only the log entries that it still needs', async () => {
    const agentId = await w.agentWith(EXAMPLE_B)
    await w.recompute(agentId)
    const daysAgo = (days: number) => new Date(w.t.clock.nowMs() - days * DAY_MS)
    await sql`insert into score_log (agent_id, at, score) values (${agentId}, ${daysAgo(90)}, 1),
      (${agentId}, ${daysAgo(60)}, 2), (${agentId}, ${daysAgo(20)}, 3)`.execute(w.t.app.kernel.db)
    w.t.clock.advance(DAY_MS)
    await w.nextHour()
    const log = await rowsOf(sql<{ score: number }>`select score from score_log
      where agent_id = ${agentId} order by at`)
    expect(log.map((entry) => entry.score)).toEqual([2, 3, 875])
    expect((await w.score(agentId)).body.trend_30d).toBe(873)
  })
})

describe('weekly history', () => {
  it('has one entry per week starting on Sunday, rewritten until the week ends', async () => {
    const agentId = await w.agentWith(EXAMPLE_B)
    w.t.clock.set('2026-03-14T23:59:59.999Z')
    await w.recompute(agentId)
    const first = {
      week_start: '2026-03-08',
      score: 875,
      grade: 'AA',
      checkpoint_count: 50,
      components: {
        integrity_ratio: 1000,
        compliance: 1000,
        drift_stability: 1000,
        trace_completeness: 0,
        coherence_compatibility: 750,
      },
      // All of its checkpoints are of one day.
      assurance: 0,
      assured_score: 599,
    }
    expect(await w.history(agentId)).toEqual([first])
    w.t.clock.set('2026-03-15T00:00:00.000Z')
    await w.recompute(agentId)
    const second = { ...first, week_start: '2026-03-15' }
    expect(await w.history(agentId)).toEqual([second, first])
    await w.seed(agentId, EXAMPLE_C)
    w.t.clock.set('2026-03-18T10:00:00.000Z')
    await w.recompute(agentId)
    const [latest, before] = await w.history(agentId)
    expect(before).toEqual(first)
    expect(latest).toMatchObject({ week_start: '2026-03-15', grade: 'A', checkpoint_count: 200 })
    w.t.clock.set('2026-04-01T00:00:00.000Z')
    await w.recompute(agentId)
    const weeks = (await w.history(agentId)).map((one: { week_start: string }) => one.week_start)
    expect(weeks).toEqual(['2026-03-29', '2026-03-15', '2026-03-08'])
  })

  it('returns at most 104 entries', async () => {
    const agentId = await w.agentWith(EXAMPLE_B)
    await sql`insert into score_snapshot
        (agent_id, week_start, score, grade, checkpoint_count, components)
      select ${agentId}, date '2023-01-01' + 7 * n, 700, 'A', 50, '{"integrity_ratio": 1,
        "compliance": 1, "drift_stability": 1, "trace_completeness": 1,
        "coherence_compatibility": 1}' from generate_series(0, 119) as n`.execute(w.t.app.kernel.db)
    await w.recompute(agentId)
    const weeks = await w.history(agentId)
    expect(weeks).toHaveLength(104)
    expect(weeks[0].week_start).toBe('2026-03-29')
    expect(weeks[103].week_start).toBe('2023-04-30')
  })
})

describe('POST recompute', () => {
  it('publishes now, reports the changes and writes an audit entry', async () => {
    const agentId = await w.agentWith(EXAMPLE_B)
    const first = await w.recompute(agentId)
    expect(first.status).toBe(200)
    expect(first.body).toEqual({
      agent_id: agentId,
      score_before: null,
      score_after: 875,
      grade_before: 'NR',
      grade_after: 'AA',
      reclassifications_applied: 0,
      propagation: { agents_affected: 0, max_depth: 0, decay_factor: 0.85 },
      recomputed_at: w.t.clock.now().toISOString(),
    })
    await w.seed(agentId, EXAMPLE_A)
    w.t.clock.advance(1000)
    const { body } = await w.recompute(agentId)
    expect(body).toMatchObject({ score_before: 875, score_after: 771, grade_after: 'A' })
    expect((await w.reputationEvents(agentId)).map(({ type }) => type)).toHaveLength(4)
    const url = `/v1/orgs/${w.org}/audit-log?action=score.recomputed`
    const { entries } = (await w.t.call('GET', url, { token: w.key })).body
    expect(entries[0]).toMatchObject({
      action: 'score.recomputed',
      target: { type: 'agent', id: agentId },
      changes: { score: { from: 875, to: 771 } },
    })
  })

  it('returns nulls and NR for an agent that is not eligible', async () => {
    for (const agentId of [await w.newAgent(), await w.agentWith({ clear: 49 })]) {
      const { status, body } = await w.recompute(agentId)
      expect(status).toBe(200)
      expect(body).toMatchObject({ score_before: null, score_after: null })
      expect(body).toMatchObject({ grade_before: 'NR', grade_after: 'NR' })
      expect(await w.reputationEvents(agentId)).toEqual([])
    }
  })

  it('computes an agent once at a time, so that a change is announced once', async () => {
    const agentId = await w.agentWith(EXAMPLE_B)
    const answers = await Promise.all(Array.from({ length: 6 }, () => w.recompute(agentId)))
    const before = answers.map(({ body }) => body.score_before)
    expect(before.filter((score) => score === null)).toHaveLength(1)
    expect(before.filter((score) => score === 875)).toHaveLength(5)
    expect(await w.reputationEvents(agentId)).toHaveLength(2)
  })

  it('is refused to strangers, to auditors and to keys without write scope', async () => {
    const agentId = await w.agentWith(EXAMPLE_B)
    const missing = { status: 404, body: { error: 'agent_not_found' } }
    expect(await w.recompute(agentId, w.foreign)).toMatchObject(missing)
    expect(await w.recompute('nobody-knows-it')).toMatchObject(missing)
    const url = `/v1/reputation/${agentId}/recompute`
    expect((await w.t.call('POST', url)).status).toBe(401)
    const auditor = await w.t.newUser('auditor@example.com', { orgId: w.org, role: 'auditor' })
    expect((await w.recompute(agentId, auditor.token)).status).toBe(403)
    const member = await w.t.newUser('member@example.com', { orgId: w.org, role: 'member' })
    expect((await w.recompute(agentId, member.token)).status).toBe(200)
    const token = await w.t.ownerToken()
    const created = await w.t.call('POST', `/v1/orgs/${w.org}/api-keys`, {
      token,
      body: { role: 'admin', scopes: ['read', 'ingest'] },
    })
    expect((await w.recompute(agentId, created.body.key)).status).toBe(403)
  })

  it('is a conflict for an archived agent, whose score stays unchanged', async () => {
    const agentId = await w.agentWith(EXAMPLE_B)
    await w.t.call('DELETE', `/v1/agents/${agentId}`, { token: await w.t.ownerToken() })
    expect(await w.recompute(agentId)).toMatchObject({ status: 409, body: { error: 'conflict' } })
    expect(await rowsOf(sql`select 1 from score where agent_id = ${agentId}`)).toEqual([])
  })
})

describe('another node', () => {
  it('learns within a moment that a score was computed, or an agent hidden or archived', async () => {
    const other = await testApp({ databaseUrl: w.t.databaseUrl, clock: w.t.clock })
    const agentId = await w.agentWith(EXAMPLE_B)
    await w.recompute(agentId)
    const there = async () => {
      const { status, body } = await other.call('GET', `/v1/reputation/${agentId}`)
      return status === 200 ? body.score : status
    }
    expect(await there()).toBe(875)
    await w.seed(agentId, EXAMPLE_A)
    await w.recompute(agentId)
    await expect.poll(there).toBe(771)
    const change = (visibility: string) =>
      w.t.call('PATCH', `/v1/agents/${agentId}`, { token: w.key, body: { visibility } })
    await change('private')
    await expect.poll(there).toBe(404)
    await change('unlisted')
    await expect.poll(there).toBe(771)
    await w.seed(agentId, EXAMPLE_B)
    w.t.clock.advance(DAY_MS)
    await w.nextHour()
    await expect.poll(there).not.toBe(771)
    await w.t.call('DELETE', `/v1/agents/${agentId}`, { token: await w.t.ownerToken() })
    await expect.poll(there).toBe(404)
  })
})

// Runs last, because every later run would compute all of these agents too.
describe('a run over many agents', () => {
  it('computes every agent once, in batches, and skips archived and idle ones', async () => {
    const many = await seedAgents(w.t, 'many-', 520)
    const idle = await w.newAgent()
    const archived = await w.agentWith(EXAMPLE_B)
    await w.t.call('DELETE', `/v1/agents/${archived}`, { token: await w.t.ownerToken() })
    const building = await w.agentWith({ clear: 3 })
    w.t.clock.advance(3_600_000)
    const before = await computedCount()
    await w.t.app.kernel.schedules.fireDue()
    await w.t.app.kernel.jobs.runDue()
    const parts = await rowsOf(sql<{ parts: number }>`select count(*) as parts from score_batch`)
    expect(parts[0]?.parts).toBeGreaterThanOrEqual(3)
    await w.t.settle()
    const [done] = await rowsOf(sql<{ scores: number; left: number }>`select
      (select count(*) from score where agent_id = any(${many}) and score = 875) as scores,
      (select count(*) from score_batch) as left`)
    expect(done).toEqual({ scores: 520, left: 0 })
    const [live] = await rowsOf(sql<{ total: number }>`select count(*) as total from chain_head
      where leaf_count > 0 and not closed`)
    expect((await computedCount()) - before).toBe(live?.total)
    const others = await rowsOf(sql<{ agent_id: string; score: number | null }>`
      select agent_id, score from score where agent_id in (${idle}, ${archived}, ${building})`)
    expect(others).toEqual([{ agent_id: building, score: null }])
  })

  it('skips agents whose evidence cannot be read, and computes all others', async () => {
    const many = await seedAgents(w.t, 'odd-', 300)
    const broken = [many[7], many[120], many[299]]
    await sql`update chain_head set edge = '\\x00' where agent_id = any(${broken})`.execute(
      w.t.app.kernel.db,
    )
    const failures = async () => {
      const { registry } = w.t.app.kernel.metrics
      const metric = registry.getSingleMetric('touchstone_scores_failed_total')
      return (await metric?.get())?.values[0]?.value
    }
    expect(await failures()).toBe(0)
    await w.nextHour()
    const [done] = await rowsOf(sql<{ scores: number; left: number; jobs: number }>`select
      (select count(*) from score where agent_id = any(${many}) and score = 875) as scores,
      (select count(*) from score_batch) as left,
      (select count(*) from job where kind = 'scores.batch') as jobs`)
    expect(done).toEqual({ scores: 297, left: 0, jobs: 0 })
    expect(await failures()).toBe(3)
    const shown = await Promise.all(broken.map((agentId) => scoreOf(agentId ?? '')))
    expect(shown).toEqual([null, null, null])
  })
})
