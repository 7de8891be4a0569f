import fastify from 'fastify'

/**
 * The peer of the gateway benchmark: the same body judged by the same kind of schema, an answer of
 * the same shape, and nothing decided, signed or stored.
 */
const app = fastify()
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

const ANSWER = {
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

type Body = { agent_id: string; tool: string }

app.post<{ Body: Body }>(
  '/v1/gateway/decide',
  { schema: { body: BODY, response: { 200: ANSWER } } },
  async (req) => {
    const { agent_id, tool } = req.body
    const decided_at = new Date().toISOString()
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
