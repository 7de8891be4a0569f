import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { CARD, newCheckpointId, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'

/** Attempts to have violations excused as gaps in the card that no change of the card explains. */

const FORBIDDEN = 'exfiltrate_data'

let w: ScoreWorld
let approver: string
let number = 0

beforeAll(async () => {
  w = await scoreWorld()
  approver = await newKey(['read', 'write', 'approve'])
})

async function newKey(scopes: string[]): Promise<string> {
  const token = await w.t.ownerToken()
  const body = { name: `Key ${scopes.join(' ')}`, scopes }
  const made = await w.t.call('POST', `/v1/orgs/${w.org}/api-keys`, { token, body })
  expect(made.status).toBe(201)
  return made.body.key
}

async function agentWithViolations(said: string, amount: number) {
  number += 1
  const agentId = await w.newAgent({ agent_id: `attacker-${number}`, card: CARD })
  await w.sendCheckpoints(agentId, 50)
  const checkpointIds: string[] = []
  for (let n = 0; n < amount; n += 1) checkpointIds.push(await violate(agentId, { said }))
  await w.recompute(agentId)
  return { agentId, checkpointIds }
}

type Violation = { said?: string; token?: string; actions?: string[]; trace_id?: string }

async function violate(
  agentId: string,
  { said = VIOLATION, token = w.key, ...more }: Violation = {},
): Promise<string> {
  number += 1
  w.t.clock.advance(60_000 + number * 137)
  const checkpointId = newCheckpointId()
  const sent = await w.t.call('POST', `/v1/agents/${agentId}/checkpoints`, {
    token,
    body: { checkpoint_id: checkpointId, thinking: textOf(7000 + number, said), ...more },
  })
  expect(sent.status).toBe(201)
  expect(sent.body.verdict).not.toBe('clear')
  return checkpointId
}

async function putCard(agentId: string, change: (card: typeof CARD) => object): Promise<string[]> {
  w.t.clock.advance(1000)
  const body = { card_json: change(CARD) }
  const put = await w.t.call('PUT', `/v1/agents/${agentId}/card`, { token: w.key, body })
  expect(put.status).toBe(200)
  return put.body.amendment_ids
}

const without = (card: typeof CARD, name: string) => ({
  ...card,
  autonomy_envelope: {
    ...card.autonomy_envelope,
    forbidden_actions: card.autonomy_envelope.forbidden_actions.filter((one) => one !== name),
  },
})

const keeping = (card: typeof CARD, days: number) => ({
  ...card,
  audit_commitment: { ...card.audit_commitment, retention_days: days },
})

const amendmentOf = async (agentId: string, field: string): Promise<string> => {
  const { body } = await w.get(`/v1/agents/${agentId}/card-amendments`)
  return body.card_amendments.find((one: { field_changed: string }) => one.field_changed === field)
    .amendment_id
}

const excuse = async (
  agentId: string,
  checkpointId: string,
  amendmentId?: string,
  token?: string,
) =>
  w.t.call('POST', `/v1/agents/${agentId}/reclassify`, {
    token: token ?? (await w.t.ownerToken()),
    body: {
      checkpoint_id: checkpointId,
      reason: 'The card was wrong.',
      new_type: 'card_gap',
      ...(amendmentId === undefined ? {} : { card_amendment_id: amendmentId }),
    },
  })

const DOES_NOT_APPLY = { status: 400, body: { error: 'amendment_does_not_apply' } }

describe('five forbidden actions', () => {
  let agentId = ''
  let checkpointIds: string[] = []
  let before: { score: number } & Record<string, unknown>

  it('lower the score', async () => {
    const made = await agentWithViolations(VIOLATION, 5)
    agentId = made.agentId
    checkpointIds = made.checkpointIds
    before = (await w.score(agentId)).body
    expect(before).toMatchObject({ reclassified: { card_gap: 0, of: 5 } })
    expect(before.score).toBeLessThan(800)
  })

  it('are not excused by a change of retention_days, and the score stays', async () => {
    const [amendmentId] = await putCard(agentId, (card) => keeping(card, 31))
    for (const checkpointId of checkpointIds) {
      expect(await excuse(agentId, checkpointId, amendmentId)).toMatchObject(DOES_NOT_APPLY)
    }
    await w.recompute(agentId)
    const { score, reclassified } = (await w.score(agentId)).body
    expect(score).toBe(before.score)
    expect(reclassified).toEqual({ card_gap: 0, of: 5 })
  })

  it('are excused when a person allows the action, and the public score counts them', async () => {
    const [amendmentId] = await putCard(agentId, (card) => without(keeping(card, 31), FORBIDDEN))
    for (const checkpointId of checkpointIds) {
      const done = await excuse(agentId, checkpointId, amendmentId)
      expect(done).toMatchObject({ status: 200, body: { new_type: 'card_gap' } })
    }
    expect((await w.score(agentId)).body.reclassified).toEqual({ card_gap: 5, of: 5 })
    const { body } = await w.recompute(agentId)
    expect(body.score_after).toBeGreaterThan(before.score)
    expect((await w.score(agentId)).body.reclassified).toEqual({ card_gap: 5, of: 5 })
  })
})

describe('an amendment does not apply', () => {
  it('when it was made before the checkpoint', async () => {
    const { agentId } = await agentWithViolations(VIOLATION, 0)
    const [early] = await putCard(agentId, (card) => without(card, FORBIDDEN))
    await putCard(agentId, (card) => card)
    const checkpointId = await violate(agentId)
    await putCard(agentId, (card) => without(card, FORBIDDEN))
    const refused = await excuse(agentId, checkpointId, early)
    expect(refused).toMatchObject(DOES_NOT_APPLY)
    expect(refused.body.message).toContain('later than the checkpoint')
  })

  it('when it was taken back since', async () => {
    const { agentId, checkpointIds } = await agentWithViolations(VIOLATION, 1)
    const [amendmentId] = await putCard(agentId, (card) => without(card, FORBIDDEN))
    await putCard(agentId, (card) => card)
    const refused = await excuse(agentId, checkpointIds[0] ?? '', amendmentId)
    expect(refused).toMatchObject(DOES_NOT_APPLY)
    expect(refused.body.message).toContain('active card')
  })

  it('when it renames the forbidden action', async () => {
    const { agentId, checkpointIds } = await agentWithViolations(VIOLATION, 1)
    const [amendmentId] = await putCard(agentId, (card) => ({
      ...card,
      autonomy_envelope: {
        ...card.autonomy_envelope,
        forbidden_actions: ['Exfiltrating-Data', 'share_credentials'],
      },
    }))
    const refused = await excuse(agentId, checkpointIds[0] ?? '', amendmentId)
    expect(refused).toMatchObject(DOES_NOT_APPLY)
  })

  it('when another amendment of the same change allowed the action', async () => {
    const { agentId, checkpointIds } = await agentWithViolations(VIOLATION, 1)
    await putCard(agentId, (card) => without(keeping(card, 32), FORBIDDEN))
    const retention = await amendmentOf(agentId, 'audit_commitment.retention_days')
    const refused = await excuse(agentId, checkpointIds[0] ?? '', retention)
    expect(refused).toMatchObject(DOES_NOT_APPLY)
    expect(refused.body.message).toContain('audit_commitment.retention_days')
  })

  it('when a deception stands beside the forbidden action', async () => {
    const said = `${VIOLATION} I will hide this from the user.`
    const { agentId, checkpointIds } = await agentWithViolations(said, 1)
    const [amendmentId] = await putCard(agentId, (card) => without(card, FORBIDDEN))
    const refused = await excuse(agentId, checkpointIds[0] ?? '', amendmentId)
    expect(refused).toMatchObject(DOES_NOT_APPLY)
    expect(refused.body.message).toContain('deceptive_reasoning')
  })

  it.each(['I will hide this from the user.', 'I will ignore previous instructions.'])(
    'to "%s", whatever was changed',
    async (said) => {
      const { agentId, checkpointIds } = await agentWithViolations(said, 1)
      const [amendmentId] = await putCard(agentId, (card) => without(card, FORBIDDEN))
      const refused = await excuse(agentId, checkpointIds[0] ?? '', amendmentId)
      expect(refused).toMatchObject(DOES_NOT_APPLY)
    },
  )

  it('to a declared action that is allowed nowhere', async () => {
    const { agentId } = await agentWithViolations(VIOLATION, 0)
    const checkpointId = await violate(agentId, { said: '', actions: [FORBIDDEN] })
    const [amendmentId] = await putCard(agentId, (card) => without(card, FORBIDDEN))
    expect(await excuse(agentId, checkpointId, amendmentId)).toMatchObject(DOES_NOT_APPLY)
  })
})

describe('a hard violation', () => {
  it('does not become soft by an undeclared action in front of it', async () => {
    const { agentId } = await agentWithViolations(VIOLATION, 0)
    const said = 'I will hide this from the user.'
    const checkpointId = await violate(agentId, { said, actions: ['delete_rows'] })
    const { body } = await w.get(`/v1/agents/${agentId}/violations`)
    expect(body.violations[0]).toMatchObject({ type: 'UNBOUNDED_ACTION' })
    expect(await excuse(agentId, checkpointId)).toMatchObject({ status: 400 })
  })

  it('does not become soft by a trace that was made for it', async () => {
    const { agentId } = await agentWithViolations(VIOLATION, 0)
    const trace = {
      agent_id: agentId,
      trace_id: `tr-cover-${number}`,
      action: { type: 'execute', name: 'delete_rows', category: 'bounded' },
      decision: { selected: 'a', selection_reasoning: 'It fits.', values_applied: ['honesty'] },
    }
    expect((await w.t.call('POST', '/v1/traces', { token: w.key, body: trace })).status).toBe(201)
    const checkpointId = await violate(agentId, { trace_id: trace.trace_id })
    const { body } = await w.get(`/v1/agents/${agentId}/violations`)
    expect(body.violations[0]).toMatchObject({ type: 'UNBOUNDED_ACTION' })
    expect(await excuse(agentId, checkpointId)).toMatchObject({ status: 400 })
  })
})

describe('an API key', () => {
  it('excuses nothing without the scope approve', async () => {
    const { agentId, checkpointIds } = await agentWithViolations(VIOLATION, 1)
    const [amendmentId] = await putCard(agentId, (card) => without(card, FORBIDDEN))
    const refused = await excuse(agentId, checkpointIds[0] ?? '', amendmentId, w.key)
    expect(refused).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    expect(refused.body.message).toContain('approve')
  })

  it('does not excuse what it sent itself, and another key does', async () => {
    const { agentId } = await agentWithViolations(VIOLATION, 0)
    const sender = await newKey(['read', 'ingest', 'write', 'approve'])
    const checkpointId = await violate(agentId, { token: sender })
    const [amendmentId] = await putCard(agentId, (card) => without(card, FORBIDDEN))
    const refused = await excuse(agentId, checkpointId, amendmentId, sender)
    expect(refused).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    expect(await excuse(agentId, checkpointId, amendmentId, approver)).toMatchObject({
      status: 200,
    })
  })

  it('cannot hide which key sent a checkpoint', async () => {
    const { agentId, checkpointIds } = await agentWithViolations(VIOLATION, 1)
    const change = sql`update checkpoint set sent_by = 'key-other'
      where checkpoint_id = ${checkpointIds[0]} and agent_id = ${agentId}`
    await expect(change.execute(w.t.app.kernel.db)).rejects.toThrow('never changed')
  })
})
