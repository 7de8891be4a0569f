import pg from 'pg'
import { expect } from 'vitest'
import { eventually } from './eventually.ts'
import { onFileFinished } from './on-file-finished.ts'

/** A transaction on another connection, which holds its locks until it ends. */
export type HeldTransaction = {
  /** Resolves once another connection waits for one of the locks. */
  untilBlocking(): Promise<unknown>
  commit(): Promise<void>
  rollback(): Promise<void>
}

export async function holdTransaction(
  databaseUrl: string,
  statements: readonly (readonly [text: string, ...values: unknown[]])[],
): Promise<HeldTransaction> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  let ended = false
  const end = async (how: 'commit' | 'rollback') => {
    if (ended) return
    ended = true
    await client.query(how)
    await client.end()
  }
  onFileFinished(() => end('rollback'))
  await client.query('begin')
  for (const [text, ...values] of statements) await client.query(text, values)
  return {
    untilBlocking: () =>
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
