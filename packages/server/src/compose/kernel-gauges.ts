import { sql } from 'kysely'
import type { DatabaseHealth } from '../database/health.ts'
import type { Replicas } from '../database/replicas.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Db } from '../kernel/db.ts'
import type { Gauge } from '../kernel/lifecycle.ts'
import { defaultPartitionBytes } from '../postgres/monthly-partitions.ts'

type GaugeDeps = {
  db: Db
  clock: Clock
  checkDatabase(): Promise<DatabaseHealth>
  replicas: Replicas | undefined
}

/** Gauges of the database and the queue, for the alert rules in deploy/prometheus. */
export function kernelGauges({ db, clock, checkDatabase, replicas }: GaugeDeps): Gauge[] {
  const lag = replicas && {
    name: 'touchstone_replica_lag_seconds',
    help: 'How far the last read replica is behind the primary; Inf while one does not answer.',
    read: async () => replicas.lagSeconds(),
  }
  return [
    ...(lag === undefined ? [] : [lag]),
    {
      name: 'touchstone_database_writable',
      help: '1 if the database can be written to, else 0.',
      read: async () => ((await checkDatabase()).status === 'ok' ? 1 : 0),
    },
    {
      name: 'touchstone_job_delay_seconds',
      help: 'How long the oldest due job has waited.',
      read: () => oldestDueSeconds(db, clock.now()),
    },
    {
      name: 'touchstone_default_partition_bytes',
      help: 'Size of the partitions for rows outside every month. It grows if a month is missing.',
      read: () => defaultPartitionBytes(db),
    },
  ]
}

async function oldestDueSeconds(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from ${now}::timestamptz - min(run_at))::double precision as seconds
    from job where state = 'queued'`.execute(db)
  return Math.max(0, rows[0]?.seconds ?? 0)
}
