import { randomUUID } from 'node:crypto'
import fastify from 'fastify'
import pg from 'pg'

/**
 * The peer of the gateway benchmark: validates the same body with the same kind of schema and sends
 * a response of the same shape, but decides and signs nothing. With DATABASE_URL it inserts one row and
 * commits before each answer; without it, it stores nothing.
 */
const app = fastify()
const connectionString = process.env['DATABASE_URL']
const pool = connectionString === undefined ? undefined : new pg.Pool({ connectionString, max: 10 })
await pool?.query(`create table if not exists bare_decision (decision_id uuid primary key,
  agent_id text not null, tool text not null, decision text not null, arguments text,
  decided_at timestamptz not null)`)
const INSERT = {
  name: 'insert',
  text: 'insert into bare_decision values ($1, $2, $3, $4, $5, $6)',
}
const text = { type: 'string' }
const nullable = { type: ['string', 'null'] }

const BODY = {
  type: 'object',
  required: ['agent_id', 'tool'],
  properties: {
    agent_id: { ...text, minLength: 1, maxLength: 128 },
    tool: text,
    arguments: { type: 'object', additionalProperties: true },
    session_id: { ...text, pattern: '^[A-Za-z0-9._:-]{1,128}$' },
  },
}

const STATEMENT = {
  '@context': text,
  decision_id: text,
  decision: text,
  agent_id: text,
  tool: text,
  arguments_hash: nullable,
  policy_id: nullable,
  policy_version: { type: ['integer', 'null'] },
  transaction_id: nullable,
  escalation_id: nullable,
  decided_at: text,
}
const SIGNATURE = { algorithm: text, key_id: text, value: text }

const RESPONSE = {
  type: 'object',
  properties: {
    decision_id: text,
    decision: text,
    verdict: nullable,
    enforcement_mode: nullable,
    agent_enforcement_mode: text,
    policy_id: nullable,
    transaction_id: nullable,
    escalation_id: nullable,
    decided_at: text,
    duration_ms: { type: 'number' },
    policy_version: { type: ['integer', 'null'] },
    reasons: { type: 'array', items: { type: 'object', additionalProperties: true } },
    notices: { type: 'array', items: { type: 'object', additionalProperties: true } },
    receipt: {
      type: 'object',
      properties: {
        statement: { type: 'object', properties: STATEMENT },
        signature: { type: 'object', properties: SIGNATURE },
      },
    },
  },
}

type Body = { agent_id: string; tool: string; arguments?: object }

app.post<{ Body: Body }>(
  '/v1/gateway/decide',
  { schema: { body: BODY, response: { 200: RESPONSE } } },
  async (req) => {
    const { agent_id, tool, arguments: args } = req.body
    const decided_at = new Date().toISOString()
    const values = [randomUUID(), agent_id, tool, 'allow', JSON.stringify(args), decided_at]
    await pool?.query({ ...INSERT, values })
    return {
      decision_id: 'dec-1',
      decision: 'allow',
      reasons: [],
      verdict: 'pass',
      enforcement_mode: 'enforce',
      agent_enforcement_mode: 'observe',
      policy_id: 'pol-1',
      policy_version: 1,
      transaction_id: null,
      escalation_id: null,
      notices: [],
      decided_at,
      duration_ms: 0.1,
      receipt: {
        statement: {
          '@context': 'urn:touchstone:decision-receipt:v1',
          decision_id: 'dec-1',
          decision: 'allow',
          agent_id,
          tool,
          arguments_hash: '0'.repeat(64),
          policy_id: 'pol-1',
          policy_version: 1,
          transaction_id: null,
          escalation_id: null,
          decided_at,
        },
        signature: { algorithm: 'Ed25519', key_id: 'key-1', value: 'A'.repeat(88) },
      },
    }
  },
)
app.get('/health/ready', async () => ({ status: 'ready' }))

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
process.on('SIGTERM', () => process.exit(0))
