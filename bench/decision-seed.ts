import type pg from 'pg'

const DAY_MS = 86_400_000
const DAYS = 90
/** Rows of one statement, so that progress shows and no statement runs for long. */
const CHUNK = 250_000

/** Few decisions have these; a list filtered by them must not scan the others. */
export const RARE = {
  tool: 'tool_rare',
  agent_id: 'agent-rare',
  policy_id: 'pol-rare',
  source: 'hook',
}

/**
 * The columns that decisions share: 40 agents with 25 tools each, of which one in a hundred calls is
 * blocked. The first kinds are frequent, the last ones rare; kind 8000 has every rare value.
 */
async function seedKinds(client: pg.Client, orgId: string): Promise<void> {
  await client.query(
    `insert into decision_kind (org_id, kind_id, digest, agent_id, tool, decision, reasons, verdict,
       enforcement_mode, agent_enforcement_mode, policy_id, policy_version, asked_by, source,
       enforced, outcome, bypassed, used_on)
     select $1, n, sha256(convert_to(n::text, 'UTF8')), 'agent-' || n % 40, 'mcp__shop__tool_' || n / 40 % 25,
       (array['allow', 'allow', 'allow', 'warn', 'block', 'escalate', 'allow', 'allow'])[1 + n / 1000],
       '[]'::jsonb, 'pass', 'enforce', 'enforce', 'pol-' || n % 40, 1 + n / 1000, 'key-' || n % 40,
       (array['api', 'sdk', 'mcp_guard'])[1 + n % 3], true,
       (array['executed', 'executed', null, null, null, null, 'failed', 'executed'])[1 + n / 1000],
       false, current_date
     from generate_series(0, 7999) as n
     union all
     select $1, 8000, sha256('rare'), $2, $3, 'block', '[]'::jsonb, 'fail', 'enforce', 'enforce', $4, 1,
       'key-rare', $5, true, 'executed', true, current_date`,
    [orgId, RARE.agent_id, RARE.tool, RARE.policy_id, RARE.source],
  )
  // Decisions that the service makes later get the next kinds.
  await client.query("select setval(pg_get_serial_sequence('decision_kind', 'kind_id'), 8001)")
}

/** The partitions that the service would have created in the past. */
async function createMonths(client: pg.Client, now: number): Promise<void> {
  const first = new Date(now - DAYS * DAY_MS)
  for (let month = first.getUTCMonth(); ; month += 1) {
    const start = Date.UTC(first.getUTCFullYear(), month)
    if (start >= Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth())) return
    const name = new Date(start).toISOString().slice(0, 7).replace('-', '_')
    const end = Date.UTC(first.getUTCFullYear(), month + 1)
    for (const table of ['decision', 'decision_batch']) {
      await client.query(`create table if not exists ${table}_${name} partition of ${table}
        for values from ('${firstUuid(start)}') to ('${firstUuid(end)}')`)
    }
  }
}

function firstUuid(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/**
 * Fills the decisions of an organisation up to `rows`, spread evenly over 90 days, eight to a batch.
 * A session has 50 decisions; one in 500 has an escalation. One in 1,000 is of the rare kind, so that
 * 50,000 decisions fill a page of it, too.
 */
export async function createSeed(client: pg.Client, orgId: string) {
  const now = Date.now()
  const start = now - DAYS * DAY_MS
  await createMonths(client, now)
  await seedKinds(client, orgId)
  await client.query(`create function pg_temp.timed(ms double precision, n bigint) returns uuid
    language sql immutable as $$ select (lpad(to_hex(ms::bigint), 12, '0') || '7'
      || lpad(to_hex(n % 4096), 3, '0') || '8' || lpad(to_hex(n / 4096), 15, '0'))::uuid $$`)
  return {
    /** Adds the rows first … last of a data set whose rows are `step` milliseconds apart. */
    async fill(rows: number, offset: number): Promise<void> {
      const step = (DAYS * DAY_MS) / rows
      for (let first = 0; first < rows; first += CHUNK) {
        const last = Math.min(rows, first + CHUNK) - 1
        const values = [orgId, first, last, start, step, offset]
        await client.query(DECISIONS, values)
        await client.query(BATCHES, values)
        process.stdout.write('.')
      }
      await client.query('vacuum (analyze) decision, decision_batch, decision_kind')
    },

    /** Fills the counters as folding would have done it. */
    async count(): Promise<void> {
      for (const resolution of ['hour', 'day']) {
        await client.query(COUNTS, [orgId, resolution])
        await client.query(DURATIONS, [orgId, resolution])
      }
      await client.query('vacuum (analyze) decision_count, decision_duration')
    },
  }
}

const ID = 'pg_temp.timed($4::float8 + $5::float8 * i, $6::bigint + i)'

const DECISIONS = `
  insert into decision (org_id, decision_id, kind_id, batch_id, batch_index, duration_us, session_id,
    call_id, client, arguments_hash, escalation_id)
  select $1, ${ID}, case when i % 1000 = 500 then 8000
      else (8000 * power((h & 65535) / 65536.0, 3))::int % 8000 end,
    pg_temp.timed($4::float8 + $5::float8 * (i / 8 * 8 + 7), $6::bigint + i / 8 * 8 + 7), i % 8,
    100 + (h & 4095), 'session-' || $6::bigint || '-' || i / 50, 'call-' || $6::bigint + i,
    'claude-code/2.1', sha256(int8send(i)),
    case when i % 500 = 0 then 'esc-' || $6::bigint + i end
  from generate_series($2::bigint, $3::bigint) as i,
    lateral (select hashint8(i + $6::bigint) as h) as hashed`

const BATCHES = `
  insert into decision_batch (org_id, batch_id, signed_at, key_id, signature, leaves)
  select $1, pg_temp.timed($4::float8 + $5::float8 * (i + 7), $6::bigint + i + 7), now(),
    '0123456789abcdef', decode(repeat('ab', 64), 'hex'), decode(repeat('cd', 256), 'hex')
  from generate_series($2::bigint, $3::bigint, 8) as i`

const START = `date_trunc($2, to_timestamp(
  ('x' || left(replace(d.decision_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0), 'UTC')`

const COUNTS = `
  insert into decision_count (org_id, resolution, start, grouped_by, agent_id, tool, decision, source,
    count)
  select $1, $2, start, case grouping(agent_id, tool, decision, source)
      when 0 then 'all' when 7 then 'agent' when 11 then 'tool' when 13 then 'decision'
      else 'source' end,
    coalesce(agent_id, ''), coalesce(tool, ''), coalesce(decision, ''), coalesce(source, ''),
    count(*)
  from (select ${START} as start, k.agent_id, k.tool, k.decision, k.source from decision d
    join decision_kind k using (org_id, kind_id) where d.org_id = $1) as counted
  group by grouping sets ((start, agent_id, tool, decision, source), (start, agent_id), (start, tool),
    (start, decision), (start, source))`

const DURATIONS = `
  insert into decision_duration (org_id, resolution, start, counts)
  select $1, $2, start, array(
    select case when at between 10 and 39 then n / 30 else 0 end from generate_series(0, 63) as at)
  from (select ${START} as start, count(*)::int as n from decision d where d.org_id = $1 group by 1)
    as counted`
