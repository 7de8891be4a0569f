import fastify from 'fastify'
import pg from 'pg'

/** The peer of the http benchmark: the same query on the same database, and nothing else. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
const app = fastify()

const READ = {
  name: 'org',
  text: `select org.*, (select count(*) from org_member m where m.org_id = org.org_id) as member_count
    from org where org_id = $1 and deleted_at is null`,
}

app.get<{ Params: { org_id: string } }>('/orgs/:org_id', async (req) => {
  const found = await pool.query({ ...READ, values: [req.params.org_id] })
  return found.rows[0]
})
app.get('/health/live', async () => ({ status: 'ok' }))
app.get('/health/ready', async () => ({ status: 'ready' }))

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
process.on('SIGTERM', () => process.exit(0))
