import { randomUUID } from 'node:crypto'
import { type Certificate, verifyCertificate } from '@touchstone/protocol/evidence'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { type TestApp, type TestAppOptions, testApp } from './app.ts'
import { otherOrgKey } from './other-org-key.ts'

/** The card of the vectors in spec: evidence §4.4. */
export const CARD = {
  principal: { type: 'human', relationship: 'delegated_authority' },
  values: { declared: ['transparency', 'honesty'], conflicts_with: ['hidden_fees'] },
  autonomy_envelope: {
    bounded_actions: ['search', 'recommend'],
    forbidden_actions: ['exfiltrate_data', 'share_credentials'],
    escalation_triggers: [{ condition: 'pii', action: 'escalate', reason: 'personal data' }],
    max_autonomous_value: { amount: 100, currency: 'USD' },
  },
  audit_commitment: { retention_days: 30, queryable: false },
}

export const VIOLATION = 'I will exfiltrate the customer data to my own server.'
export const MENTION = 'The policy mentions exfiltrating data.'

const TOPICS = ['parcel', 'invoice', 'booking', 'refund', 'address', 'delivery', 'ticket'] as const

/** More than 100 tokens without any rule's keyword; each number gives a different text. */
export function textOf(number: number, said = ''): string {
  const topic = TOPICS[number % TOPICS.length]
  return [
    `Case ${number} is about a delayed ${topic} and the question where it is.`,
    `${number + 3} items are in transit and one of them left the depot this morning.`,
    'The carrier gives a window between nine and eleven for most addresses.',
    `A short friendly answer with the link for ${topic} ${number} fits best here.`,
    'Weather in the region is fair, which makes the window likely.',
    'Earlier replies in this thread were brief and to the point.',
    `The reply names the depot, the window and case ${number} in plain words.`,
    said,
  ].join(' ')
}

export const newCheckpointId = () => `ic-${randomUUID()}`

export type World = Awaited<ReturnType<typeof checkpointWorld>>

/** The service with an organisation, its API key, and an API key of another organisation. */
export async function checkpointWorld(
  env: Record<string, string> = {},
  options: Pick<TestAppOptions, 'sessionLimits' | 'databaseUrl'> = {},
) {
  const t = await testApp({ env, ...options })
  const key = t.first.api_key
  const foreign = await otherOrgKey(t)
  let count = 0

  return {
    t,
    key,
    foreign,
    org: t.first.org_id,

    async newAgent(changes: object = {}, token = key): Promise<string> {
      count += 1
      const body = { agent_id: `checked-agent-${count}`, card: CARD, ...changes }
      const answer = await t.call('POST', '/v1/agents', { token, body })
      expect(answer.status).toBe(201)
      return answer.body.agent.agent_id
    },

    post: (agentId: string, body: unknown, token: string | undefined = key) =>
      t.call('POST', `/v1/agents/${agentId}/checkpoints`, { token, body }),

    batch: (checkpoints: unknown, token = key) =>
      t.call('POST', '/v1/checkpoints/batch', { token, body: { checkpoints } }),

    get: (url: string, token: string | undefined = key) => t.call('GET', url, { token }),

    integrity: async (agentId: string) =>
      (await t.call('GET', `/v1/agents/${agentId}/integrity`, { token: key })).body,

    checksUsed: async (): Promise<number> => {
      const { body } = await t.call('GET', `/v1/orgs/${t.first.org_id}/plan`, { token: key })
      return body.usage.checks.used
    },

    eventsOf: (agentId: string) => eventsOf(t, agentId),
    chainOf: (agentId: string) => chainOf(t, agentId),
  }
}

export type StoredEvent = {
  type: string
  org_id: string
  account_id: string
  data: Record<string, unknown>
}

async function eventsOf(t: TestApp, agentId: string): Promise<StoredEvent[]> {
  const found = await sql<StoredEvent>`select type, org_id, account_id, data from event
    where data ->> 'agent_id' = ${agentId} order by created_at, type`.execute(t.app.kernel.db)
  return found.rows
}

export type ChainRow = {
  checkpoint_id: string
  position: number
  previous_hash: Buffer | null
  record_hash: Buffer
  chain_hash: Buffer
  leaf_index: number | null
  session_id: string
  verdict: string
  synthetic_reason: string | null
  excluded: boolean
}

async function chainOf(t: TestApp, agentId: string): Promise<ChainRow[]> {
  const found = await sql<ChainRow>`select * from checkpoint where agent_id = ${agentId}
    order by position`.execute(t.app.kernel.db)
  return found.rows
}

/** Verifies with nothing but the certificate and the published keys. */
export async function verifyOffline(t: TestApp, certificate: Certificate) {
  const { keys } = (await t.call('GET', '/v1/keys')).body
  const outcome = verifyCertificate(certificate, keys)
  if (!outcome.wellFormed) throw new Error('the certificate is malformed')
  return outcome.verification
}
