import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freshDatabaseUrl } from '#harness/database.ts'
import { startModelServer } from '#harness/model-server.ts'
import { startService } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import {
  FORECAST_REPLY,
  RECOMMENDATION_REPLY,
  THREE,
} from '../../packages/server/src/areas/fleet/intelligence/intelligence.fixture.ts'

const ANALYSED = {
  fleet_score: 0.5233,
  summary: { total: 5, resolvable: 0, priority_mismatch: 3, incompatible: 2, critical_count: 2 },
  produced_by: { kind: 'algorithm' },
  fault_lines: [
    { id: 'fl-a993f0dd10ab', value: 'data_hoarding', severity: 'critical', impact_score: 0.6667 },
    { id: 'fl-0a6d77717c6d', value: 'privacy', severity: 'critical', impact_score: 0.6667 },
    { id: 'fl-554ae4c2ddfa', value: 'accuracy', severity: 'high', impact_score: 0.4444 },
    { id: 'fl-266acd3d70bf', value: 'speed', severity: 'high', impact_score: 0.4444 },
    { id: 'fl-94ae23255ca3', value: 'transparency', severity: 'medium', impact_score: 0.2222 },
  ],
}
const FORECAST_BY_RULES = {
  overall_risk_level: 'critical',
  confidence: 0.6,
  produced_by: { kind: 'rules', name: 'touchstone-rules', version: 'rules-1' },
  failure_modes: [
    { mode: 'value_override', probability: 0.7111, severity: 'critical' },
    { mode: 'escalation_conflict', probability: 0.4559, severity: 'high' },
    { mode: 'coordination_deadlock', probability: 0.4445, severity: 'critical' },
    { mode: 'trust_erosion', probability: 0.286, severity: 'medium' },
  ],
}
const RECOMMENDED_BY_RULES = {
  confidence: 0.6,
  produced_by: { kind: 'rules' },
  forecast_summary: { risk_reduction: 'critical → high', fault_lines_resolved: 4 },
  validation: { valid: true, errors: [] },
  policy: {
    defaults: {
      // No member's policy maps a tool, and blocking all of them would stop the team.
      unmapped_tool_action: 'warn',
      unmapped_severity: 'critical',
      fail_open: false,
      enforcement_mode: 'enforce',
      grace_period_hours: 24,
    },
  },
}

/** Starts the built service and creates the team of the specification's example. */
async function open(env: Record<string, string>) {
  const dir = await temporaryDir()
  const all = {
    DATA_DIR: dir,
    DATABASE_URL: await freshDatabaseUrl(),
    ...env,
    SECRET_KEY: randomBytes(32).toString('base64'),
  }
  let service = await startService(all)
  const { api_key: token, org_id } = JSON.parse(
    await readFile(join(dir, 'credentials.json'), 'utf8'),
  )
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await service.call(method, path, { token, body })
    expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status)
    return answer.body
  }
  for (const { issued_at: _, ...card } of THREE) {
    await call('POST', '/v1/agents', { agent_id: card.agent_id, card })
  }
  const agent_ids = THREE.map(({ agent_id }) => agent_id)
  const { team } = await call('POST', '/v1/teams', { org_id, name: 'Three', agent_ids })
  const team_id: string = team.id
  return {
    call,
    team_id,
    output: () => service.output(),
    faultLines: () => call('POST', '/v1/teams/fault-lines', { team_id }),
    forecast: (fault_line_analysis_id: string) =>
      call('POST', '/v1/teams/forecast', { team_id, fault_line_analysis_id }),
    recommend: () => call('POST', '/v1/teams/recommend-policy', { team_id }),
    async restart() {
      await service.end()
      service = await startService(all)
    },
  }
}

describe('the intelligence of a team', () => {
  it('leads from cards to a valid policy with rules alone, and survives a restart', async () => {
    const { call, team_id, ...team } = await open({})
    const analysis = await team.faultLines()
    expect(analysis).toMatchObject(ANALYSED)
    const forecast = await team.forecast(analysis.analysis_id)
    expect(forecast).toMatchObject(FORECAST_BY_RULES)
    expect(forecast).not.toHaveProperty('fallback_reason')
    const recommendation = await team.recommend()
    expect(recommendation).toMatchObject(RECOMMENDED_BY_RULES)
    expect(recommendation).not.toHaveProperty('fallback_reason')

    await call('PUT', `/v1/teams/${team_id}/policy`, recommendation.policy)
    expect(await call('GET', `/v1/teams/${team_id}/policy`)).toMatchObject(recommendation.policy)

    await team.restart()
    const { items } = await call('GET', `/v1/teams/${team_id}/intelligence`)
    const results = [recommendation, forecast, analysis]
    expect(items).toHaveLength(results.length)
    for (const [at, { id }] of items.entries()) {
      expect(await call('GET', `/v1/teams/${team_id}/intelligence/${id}`)).toEqual(results[at])
    }
  })

  it.each(['openai', 'anthropic'])(
    'comes from a model with the %s protocol, and falls back to rules if the model fails',
    async (provider) => {
      const server = await startModelServer()
      const key = 'journey-key-0123456789'
      const { call, team_id, ...team } = await open({
        MODEL_PROVIDER: provider,
        MODEL_URL: server.url,
        MODEL_NAME: 'm-1',
        MODEL_KEY: key,
      })
      const byModel = { kind: 'model', name: `${provider}/m-1`, version: 'prompt-1' }
      server.plan({ reply: FORECAST_REPLY })
      const analysis = await team.faultLines()
      expect(analysis).toMatchObject(ANALYSED)
      expect(server.questions).toHaveLength(0)

      const forecast = await team.forecast(analysis.analysis_id)
      expect(forecast).toMatchObject({
        overall_risk_level: 'high',
        confidence: 0.8,
        produced_by: byModel,
        failure_modes: [{ triggered_by: ['fl-a993f0dd10ab', 'fl-0a6d77717c6d'] }],
      })

      server.plan({ status: 429, headers: { 'retry-after': '0' } }, { reply: RECOMMENDATION_REPLY })
      const recommendation = await team.recommend()
      expect(recommendation).toMatchObject({ produced_by: byModel, validation: { valid: true } })
      expect(recommendation.policy.forbidden).toHaveLength(5)
      await call('PUT', `/v1/teams/${team_id}/policy`, recommendation.policy)

      server.plan({ cut: 'within' })
      expect(await team.forecast(analysis.analysis_id)).toMatchObject({
        ...FORECAST_BY_RULES,
        fallback_reason: 'http_error',
      })
      server.close()
      expect(await team.recommend()).toMatchObject({
        ...RECOMMENDED_BY_RULES,
        fallback_reason: 'http_error',
      })
      expect(team.output()).not.toMatch(/journey-key|data_hoarding/)
    },
  )
})
