import { randomUUID } from 'node:crypto'
import fastify from 'fastify'
import pg from 'pg'

/**
 * The peer of the risk benchmark: validates the same body with the same kind of schema, inserts one
 * row as large as an assessment into the same PostgreSQL and sends a response of the same size, but
 * reads, computes and meters nothing.
 */
const app = fastify()
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
await pool.query(
  'create table if not exists bare_assessment (id text primary key, agent_id text, answer json)',
)

const text = { type: 'string' }
const BODY = {
  type: 'object',
  required: ['agent_id', 'context'],
  properties: {
    agent_id: { ...text, minLength: 1, maxLength: 128 },
    context: {
      type: 'object',
      required: ['action_type'],
      properties: {
        action_type: text,
        risk_tolerance: text,
        amount: { type: 'number', minimum: 0 },
        counterparty_id: { ...text, maxLength: 128 },
      },
    },
  },
}

/** As large as the factors that the service stores and returns for an assessment. */
const FACTORS = Array.from({ length: 5 }, (_, n) => ({
  component: 'coherence_compatibility',
  label: 'Coherence Compatibility',
  weight: 0.15,
  raw_value: 390 + n,
  risk_contribution: 0.0915,
  explanation:
    'Coherence Compatibility at 390 of 1000 with weight 0.15 adds 0.0915 to the context risk.',
}))

app.post<{ Body: { agent_id: string; context: object } }>(
  '/v1/risk/assess',
  { schema: { body: BODY } },
  async (req) => {
    const id = `ra-${randomUUID()}`
    const { agent_id, context } = req.body
    const answer = { assessment_id: id, agent_id, context, contributing_factors: FACTORS }
    await pool.query({
      name: 'insert',
      text: 'insert into bare_assessment (id, agent_id, answer) values ($1, $2, $3)',
      values: [id, agent_id, JSON.stringify(answer)],
    })
    return answer
  },
)
app.get('/health/ready', async () => ({ status: 'ready' }))

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
process.on('SIGTERM', () => process.exit(0))
