import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import { CARD, textOf, VIOLATION } from './checkpoints.ts'

/** Ids by the name that paths, queries and bodies give them. */
export type Ids = Readonly<Record<string, string>>

const POLICY = {
  meta: { schema_version: '1.0', name: 'Refunds', scope: 'agent' },
  capability_mappings: { desk: { tools: ['search', 'refund'], card_actions: ['search'] } },
  escalation_triggers: [{ condition: "tool == 'refund'", action: 'escalate', reason: 'Ask' }],
  defaults: { enforcement_mode: 'enforce' },
}

/** Gives an organisation one of everything, none of it public, and returns the ids. */
export async function furnish(t: TestApp, session: string, org: string, name: string) {
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await t.call(method, path, {
      token: session,
      ...(body !== undefined && { body }),
    })
    expect(answer.status, `${method} ${path} ${answer.text}`).toBeLessThan(300)
    return answer.body
  }
  const [agent, second] = [`${name}-agent`, `${name}-second`]
  for (const agent_id of [agent, second]) {
    await call('POST', '/v1/agents', { agent_id, card: CARD, visibility: 'private' })
  }
  const ofAgent = `/v1/agents/${agent}`
  const ofOrg = `/v1/orgs/${org}`
  await call('PUT', `${ofAgent}/policy`, POLICY)
  const asked = { agent_id: agent, tool: 'refund', session_id: `${name}-session` }
  const decided = await call('POST', '/v1/gateway/decide', { ...asked, call_id: `${name}-call` })
  const sent = await call('POST', `${ofAgent}/checkpoints`, { thinking: textOf(1, VIOLATION) })
  const { autonomy_envelope } = CARD
  const looser = { ...autonomy_envelope, forbidden_actions: ['share_credentials'] }
  await call('PUT', `${ofAgent}/card`, { ...CARD, autonomy_envelope: looser })
  const changed = await call('GET', `${ofAgent}/card-amendments`)
  const trace = await call('POST', '/v1/traces', {
    agent_id: agent,
    action: { type: 'execute', name: 'search', category: 'bounded' },
    decision: { selected: 'a', selection_reasoning: 'It fits best.', values_applied: ['honesty'] },
  })
  const context = { action_type: 'data_access', use_case: 'A test' }
  const risk = await call('POST', '/v1/risk/assess', { agent_id: agent, context })
  const transaction = await call('POST', '/v1/transactions', {
    agent_id: agent,
    description: 'Refund 1182',
    action_type: 'financial_operation',
    tools: ['refund'],
  })
  const { team } = await call('POST', '/v1/teams', {
    org_id: org,
    name: 'Both',
    visibility: 'private',
    agent_ids: [agent, second],
  })
  const lines = await call('POST', '/v1/teams/fault-lines', { team_id: team.id })
  const edge = { target_agent_id: second, trust_level: 'high', reason: 'They work together.' }
  const webhook = { url: 'https://example.com/hook', event_types: ['trace.created'] }
  const value = { type: 'BOUNDARY', name: 'Truth', content: 'Never lie.', description: 'A value' }
  const invitation = { email: `${name}-new@example.com`, role: 'member' }
  const period = { from: '2025-01-01T00:00:00Z', to: '2025-02-01T00:00:00Z' }
  const made = {
    edge: await call('POST', `${ofAgent}/trust-edges`, edge),
    webhook: await call('POST', `${ofOrg}/webhooks`, webhook),
    connection: await call('POST', `${ofAgent}/connections`, { provider: 'anthropic' }),
    value: await call('POST', `${ofOrg}/conscience-values`, value),
    invitation: await call('POST', `${ofOrg}/invitations`, invitation),
    key: await call('POST', `${ofOrg}/api-keys`, { name: 'one' }),
    pack: await call('POST', `${ofOrg}/evidence-pack`, period),
    members: await call('GET', `${ofOrg}/members`),
  }
  const ids: Record<string, string> = {
    org_id: org,
    agent_id: agent,
    second_agent_id: second,
    session_id: asked.session_id,
    call_id: `${name}-call`,
    decision_id: decided.decision_id,
    escalation_id: decided.escalation_id,
    checkpoint_id: sent.checkpoint.checkpoint_id,
    record_id: sent.checkpoint.checkpoint_id,
    card_amendment_id: idIn(changed.amendments?.[0] ?? changed, 'amendment_id'),
    trace_id: trace.trace_id,
    assessment_id: risk.assessment_id,
    proof_id: risk.proof_id,
    transaction_id: transaction.transaction_id,
    team_id: team.id,
    fault_line_analysis_id: idIn(lines, 'analysis_id'),
    item_id: idIn(lines, 'analysis_id'),
    edge_id: idIn(made.edge, 'edge_id'),
    endpoint_id: idIn(made.webhook, 'endpoint_id'),
    connection_id: idIn(made.connection, 'connection_id'),
    value_id: idIn(made.value, 'value_id'),
    invitation_id: idIn(made.invitation, 'invitation_id'),
    key_id: idIn(made.key, 'key_id'),
    pack_id: idIn(made.pack, 'pack_id'),
    user_id: made.members.members[0].user_id,
  }
  for (const [of, id] of Object.entries(ids)) expect(id, of).toBeTypeOf('string')
  return ids
}

/** The id, wherever the answer has it. */
function idIn(answer: unknown, name: string): string {
  const text = JSON.stringify(answer)
  const found = new RegExp(`"(?:${name}|id)":"([^"]+)"`).exec(text)?.[1]
  if (found === undefined) throw new Error(`no ${name} in ${text}`)
  return found
}
