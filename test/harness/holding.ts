import pg from 'pg'
import { expect } from 'vitest'
import { atEnd } from './at-end.ts'
import { eventually } from './eventually.ts'

/** Somebody else's transaction, which holds what it did until it ends. */
export type Holding = {
  /** Resolves once anybody waits for it. */
  waitedFor(): Promise<unknown>
  commit(): Promise<void>
  rollback(): Promise<void>
}

export async function holding(
  databaseUrl: string,
  statements: readonly (readonly [text: string, ...values: unknown[]])[],
): Promise<Holding> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  let ended = false
  const end = async (how: 'commit' | 'rollback') => {
    if (ended) return
    ended = true
    await client.query(how)
    await client.end()
  }
  atEnd(() => end('rollback'))
  await client.query('begin')
  for (const [text, ...values] of statements) await client.query(text, values)
  return {
    waitedFor: () =>
      eventually(async () => {
        const waiting = await client.query(
          'select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))',
        )
        expect(waiting.rowCount).toBeGreaterThan(0)
      }),
    commit: () => end('commit'),
    rollback: () => end('rollback'),
  }
}
