import type { AddressInfo } from 'node:net'
import { textOf } from '#harness/checkpoints.ts'
import { type TeamWorld, teamWorld } from '#harness/teams.ts'

const WEEK_MS = 7 * 86_400_000
const WEEKS = 6

export type PublicWorld = {
  url: string
  owner: { email: string; password: string }
  steady: string
  rash: string
  young: string
  teamId: string
  receipt: object
  certificate: object
}

/** Starts a service with weeks of history: agents with good and bad scores, a team and a proof. */
export async function createPublicWorld(): Promise<PublicWorld> {
  const w = await teamWorld({ PORT: '0', METRICS_ADDR: 'off' })
  const { t } = w
  // The history ends now, because the browser uses the real clock.
  t.clock.set(new Date(Date.now() - WEEKS * WEEK_MS).toISOString())
  const steady = await newAgent(w, 'steady-clerk', {
    name: 'Steady, invoices',
    description: 'Matches invoices to orders and asks when unsure.',
  })
  const policy = {
    meta: { schema_version: '1.0', name: 'Invoices', scope: 'agent' },
    forbidden: [
      { pattern: 'mcp__bank__*', reason: 'No money leaves without a person', severity: 'critical' },
    ],
  }
  await t.call('PUT', `/v1/agents/${steady}/policy`, { token: w.key, body: policy })
  const rash = await newAgent(w, 'rash-trader', {
    name: 'Rash, trading',
    description: 'Proposes trades; people approve the large ones.',
  })
  const young = await newAgent(w, 'young-helper', {
    name: 'Young, onboarding',
    description: 'Shows newcomers around.',
  })
  const { teamId } = await w.newTeam({
    name: 'Back office',
    visibility: 'public',
    agent_ids: [steady, rash],
  })
  await w.sendCheckpoints(young, 12)
  for (let week = 0; week < WEEKS; week += 1) {
    await w.sendCheckpoints(steady, 18)
    await w.sendCheckpoints(rash, 18, (n) => week % 3 === 1 && n % 6 === 0)
    await sendTraces(w, steady, 8)
    await w.assess(teamId)
    await w.assess(teamId)
    await w.recompute(steady)
    await w.recompute(rash)
    await w.nextWindow()
    if (week < WEEKS - 1) t.clock.advance(WEEK_MS)
  }
  await w.nextHour()
  const receipt = await proveRisk(w, rash)
  // The page Verify compares the log with what the browser saw before.
  await t.app.sequenceLog()
  await t.app.listen()
  // The address of a TCP server is an object; only that of a pipe is a string.
  const address = t.app.server.server.address() as AddressInfo
  const latest = (await t.call('GET', `/v1/reputation/${steady}/verify`)).body.verification
  const certificate = await t.call(
    'GET',
    `/v1/checkpoints/${latest.latest_checkpoint_id}/certificate`,
  )
  return {
    url: `http://127.0.0.1:${address.port}`,
    owner: t.first,
    steady,
    rash,
    young,
    teamId,
    receipt,
    certificate: certificate.body,
  }
}

function newAgent(w: TeamWorld, agentId: string, about: object): Promise<string> {
  return w.newAgent({ agent_id: agentId, visibility: 'public', ...about })
}

async function sendTraces(w: TeamWorld, agentId: string, amount: number): Promise<void> {
  for (let n = 0; n < amount; n += 1) {
    const body = {
      agent_id: agentId,
      action: { type: 'recommend', category: 'bounded', name: 'search' },
      decision: { selected: 'a', selection_reasoning: textOf(n), values_applied: ['honesty'] },
      context: { session_id: `s${n}` },
    }
    await w.t.call('POST', '/v1/traces', { token: w.key, body })
  }
}

/** Assesses an agent and returns the proof, which a real worker thread creates. */
async function proveRisk(w: TeamWorld, agentId: string): Promise<Record<string, unknown>> {
  const body = { agent_id: agentId, context: { action_type: 'data_access' } }
  const assessed = await w.t.call('POST', '/v1/risk/assess', { token: w.key, body })
  while ((await w.t.app.proveDue()) > 0);
  return (await w.get(`/v1/risk/proofs/${assessed.body.proof_id}`)).body
}
