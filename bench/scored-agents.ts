import { nodesForRoot } from '@touchstone/protocol/merkle'
import type pg from 'pg'

/** Agents to seed, each with this many checkpoints; `rows` also inserts the checkpoint rows. */
export type Population = { prefix: string; agents: number; checkpoints: number; rows: boolean }

/** One checkpoint in fifty is a violation, one in twenty-five needs a review. */
const VIOLATION_EVERY = 50
const REVIEW_EVERY = 25
/** Within the window in which violations count. */
const HISTORY_DAYS = 80

/**
 * Inserts agents with the counters that their checkpoints would have produced. Chains and trees are
 * not valid, because the hourly computation does not read them.
 */
export async function seedPopulation(
  client: pg.Client,
  org: string,
  { prefix, agents, checkpoints, rows }: Population,
): Promise<void> {
  await client.query(
    `insert into agent (agent_id, org_id, name, visibility, status, enforcement_mode, metadata,
       claim_verifier, card_id, card_version, created_at, updated_at)
     select $1 || n, $2, 'Bench ' || n, 'public', 'active', 'observe', '{}', '', 'ac-bench', 1,
       now(), now() from generate_series(1, $3::int) as n`,
    [prefix, org, agents],
  )
  const violations = Math.floor(checkpoints / VIOLATION_EVERY)
  const reviews = Math.floor(checkpoints / REVIEW_EVERY) - violations
  const edge = Buffer.alloc(32 * nodesForRoot(checkpoints).length, 1)
  await client.query(
    `insert into chain_head (agent_id, length, leaf_count, edge, clear_count, review_count,
       violation_count, sessions_scored, sessions_unstable, session_count, leaf_at)
     select $1 || n, size, size, $4, size - $5::int - $6::int, $6::int, $5::int, size / 10, 1,
       size / 10, now()
     from generate_series(1, $2::int) as n, (select $3::bigint as size) as sized`,
    [prefix, agents, checkpoints, edge, violations, reviews],
  )
  await client.query(
    `insert into trace_tally (agent_id, stored)
     select $1 || n, $3 from generate_series(1, $2::int) as n`,
    [prefix, agents, checkpoints],
  )
  if (rows) await insertCheckpoints(client, { prefix, agents, checkpoints })
}

async function insertCheckpoints(
  client: pg.Client,
  { prefix, agents, checkpoints }: Omit<Population, 'rows'>,
): Promise<void> {
  await client.query(
    `insert into checkpoint (agent_id, position, checkpoint_id, session_id, card_id, occurred_at,
       created_at, provider, model, verdict, concerns, reasoning_summary, conscience_context,
       window_index, window_size, analyzer, analysis_model, analysis_duration_ms, confidence,
       analysis_details, flags, excluded, cross_validation_warnings, thinking_hash, card_hash,
       values_hash, context_hash, template_version, content_key, record_hash, chain_hash,
       leaf_index)
     select $1 || n, i, 'ic-' || $1 || n || '-' || i, 'sess-' || (i / 10), 'ac-bench',
       now() - i * interval '${HISTORY_DAYS} days' / $3::int, now(), 'unknown', 'unknown',
       case when i % ${VIOLATION_EVERY} = 0 then 'boundary_violation'
         when i % ${REVIEW_EVERY} = 0 then 'review_needed' else 'clear' end,
       '[]', 'Rule-based analysis: no rule matched.', '{}', 0, 1, 'rules', 'rules-v1', 0, 1, '{}',
       '{}', false, '{}', h, h, h, h, 'cp-1', h, h, h, i
     from generate_series(1, $2::int) as n, generate_series(0, $3::int - 1) as i,
       (select decode(repeat('01', 32), 'hex') as h) as hashed`,
    [prefix, agents, checkpoints],
  )
}
