import pg from 'pg'

/**
 * Fills the directory in bulk, with the same entries in every run: one in a hundred is unlisted and
 * one private, the others are public. Scores, names and ids come from hashes of the entry's number.
 */
export async function seedDirectory(connectionString: string, entries: number): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(
    `insert into directory_entry (agent_id, org_id, name, visibility, claimed, score, grade, tier, confidence, checkpoint_count, trend_30d, integrity_ratio, compliance,
       drift_stability, trace_completeness, coherence_compatibility)
     select agent_id, 'org-' || i % 500, name,
       case i % 100 when 0 then 'unlisted' when 1 then 'private' else 'public' end, i % 2 = 0,
       score, (array['CCC', 'CCC', 'CCC', 'CCC', 'B', 'BB', 'BBB', 'A', 'AA', 'AAA']::directory_grade[])
         [score / 100 + 1],
       'Reliable', (array['low', 'medium', 'high']::directory_confidence[])[1 + i % 3], 50 + (h >> 20) % 5000,
       (h >> 12) % 81 - 40, score, score, score, score, score
     from (
       select i, h, 'agent-' || substr(md5('id' || i), 1, 12) as agent_id, 300 + h % 700 as score,
         (array['Parcel', 'Invoice', 'Travel', 'Ledger', 'Support', 'Kitchen', 'Garden', 'Harbour',
           'Signal', 'Archive', 'Claims', 'Payroll', 'Warehouse', 'Clinic', 'Library', 'Tax'])
           [1 + (h >> 3) % 16] || ' ' ||
         (array['assistant', 'planner', 'auditor', 'desk', 'runner', 'scout', 'clerk', 'pilot'])
           [1 + (h >> 9) % 8] || ' ' || i as name
       from generate_series(1, $1::int) as i,
         lateral (select ('x' || substr(md5(i::text), 1, 7))::bit(28)::int as h) as hashed
     ) as entry`,
    [entries],
  )
  await client.query('vacuum (analyze) directory_entry')
  await client.end()
}
