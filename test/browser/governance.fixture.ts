import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Service, startSharedService, type TestResponse } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

export type GovernedOrg = Awaited<ReturnType<typeof startGovernedOrg>>

const HOUR_MS = 3_600_000

export const ORG_POLICY = {
  meta: { schema_version: '1.0', name: 'House rules', scope: 'org' },
  forbidden: [{ pattern: '*shell*', reason: 'No shell', severity: 'critical' }],
  defaults: { enforcement_mode: 'enforce', grace_period_hours: 0 },
}

const AGENT_POLICY = {
  meta: { schema_version: '1.0', name: 'Research desk', scope: 'agent' },
  capability_mappings: {
    research: { tools: ['mcp__web__*'], card_actions: ['search'] },
    reports: { tools: ['mcp__mail__send'], card_actions: ['send_report'] },
  },
  escalation_triggers: [
    {
      condition: "tool == 'mcp__mail__send'",
      action: 'escalate',
      reason: 'Mail is read by people',
    },
  ],
}

/** Starts a service and creates an organisation with data for each of its pages. */
export async function startGovernedOrg() {
  const dataDir = await temporaryDir()
  const service = await startSharedService({ DATA_DIR: dataDir, ALLOW_LOOPBACK_EGRESS: 'true' }, [
    '--empty',
  ])
  const owner = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'))
  const call = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<TestResponse['body']> => {
    const answer = await service.call(method, path, { token: owner.api_key, body })
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    return answer.body
  }
  const org = { service, owner, orgId: String(owner.org_id), call }
  await registerAgents(org)
  await createPolicies(org)
  const teamId = await createTeam(org)
  const assessmentId = String(
    (
      await call('POST', '/v1/risk/assess', {
        agent_id: 'desk-a',
        context: {
          action_type: 'financial_transaction',
          amount: 2500,
          use_case: 'Renew a licence',
        },
      })
    ).assessment_id,
  )
  return { ...org, teamId, assessmentId }
}

type Org = {
  service: Service
  owner: { email: string; password: string }
  orgId: string
  call: (method: string, path: string, body?: unknown) => Promise<TestResponse['body']>
}

const cardOf = (values: object, envelope: object) => ({
  principal: { type: 'organization', relationship: 'delegated_authority' },
  values,
  autonomy_envelope: envelope,
  audit_commitment: { retention_days: 90, queryable: false },
})

/** Agents with conflicting values: desk-c declares data_hoarding, which desk-a rejects. */
const AGENTS = [
  {
    agent_id: 'desk-a',
    name: 'Research desk',
    card: cardOf(
      { declared: ['transparency', 'privacy', 'accuracy'], conflicts_with: ['data_hoarding'] },
      { bounded_actions: ['search', 'send_report'], forbidden_actions: ['delete_records'] },
    ),
  },
  {
    agent_id: 'desk-b',
    name: 'Records desk',
    card: cardOf(
      { declared: ['transparency', 'accuracy', 'speed'] },
      { bounded_actions: ['search', 'send_report', 'delete_records'] },
    ),
  },
  {
    agent_id: 'desk-c',
    name: 'Archive desk',
    card: cardOf(
      { declared: ['speed', 'accuracy', 'data_hoarding'], conflicts_with: ['privacy'] },
      { bounded_actions: ['search', 'archive'], forbidden_actions: ['send_report'] },
    ),
  },
]

/** A text that is long enough to be analysed, different for each number. */
const thoughts = (number: number) =>
  Array.from(
    { length: 12 },
    (_, line) =>
      `Case ${number}, point ${line}: the answer names depot ${number * 12 + line} and why.`,
  ).join(' ')

async function registerAgents({ call }: Org): Promise<void> {
  for (const agent of AGENTS) await call('POST', '/v1/agents', agent)
  await call('POST', '/v1/checkpoints/batch', {
    checkpoints: Array.from({ length: 50 }, (_, number) => ({
      agent_id: 'desk-a',
      session_id: `session-${number % 5}`,
      thinking: thoughts(number),
    })),
  })
  await call('POST', '/v1/reputation/desk-a/recompute')
}

async function createPolicies({ call, orgId }: Org): Promise<void> {
  await call('PUT', `/v1/orgs/${orgId}/policy`, ORG_POLICY)
  await call('PUT', '/v1/agents/desk-a/policy', AGENT_POLICY)
  for (const [index, tools] of [
    ['mcp__web__search'],
    ['mcp__web__search', 'mcp__mail__send'],
    ['mcp__files__read'],
    ['mcp__shell__run'],
  ].entries()) {
    await call('POST', '/v1/traces', {
      agent_id: index === 3 ? 'desk-b' : 'desk-a',
      timestamp: new Date(Date.now() - (index + 1) * HOUR_MS).toISOString(),
      action: { type: 'recommend', name: 'answer', category: 'bounded' },
      decision: {
        selected: 'a',
        selection_reasoning: 'It fits best.',
        values_applied: ['transparency'],
      },
      escalation: { evaluated: true, required: false, reason: 'nothing due' },
      tools,
    })
  }
  await call('POST', '/v1/gateway/decide', {
    agent_id: 'desk-a',
    session_id: 'chat-18',
    tool: 'mcp__mail__send',
  })
}

async function createTeam({ call, orgId }: Org): Promise<string> {
  const { team } = await call('POST', '/v1/teams', {
    org_id: orgId,
    name: 'Records office',
    description: 'Finds, files and sends what customers ask for.',
    agent_ids: AGENTS.map(({ agent_id }) => agent_id),
  })
  await call('PUT', `/v1/teams/${team.id}/policy`, {
    meta: { schema_version: '1.0', name: 'Office rules', scope: 'team' },
    forbidden: [{ pattern: 'mcp__bank__*', reason: 'No money', severity: 'high' }],
  })
  return String(team.id)
}

/** Fills in the page that asks to sign in. */
export async function fillSignIn(page: Page, { owner }: Pick<Org, 'owner'>): Promise<void> {
  await page.getByLabel('Email').fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

export async function signIn(page: Page, { owner, orgId }: Org): Promise<void> {
  await page.goto(`/sign-in?next=/o/${orgId}/policies`)
  await fillSignIn(page, { owner })
  await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor()
}
