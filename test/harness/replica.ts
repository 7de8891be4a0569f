import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Cluster, startCluster } from '../../packages/server/src/postgres/cluster.ts'
import { onFileFinished } from './on-file-finished.ts'
import { temporaryDir } from './temporary-dir.ts'

const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'replica',
  max_wal_senders: '4',
  max_connections: '60',
}

export type ReplicaPair = {
  primary: Cluster
  replica: Cluster
  /** Makes the replica accept writes. The caller stops the primary first. */
  promote(): Promise<void>
}

/** Starts a PostgreSQL and a replica that follows it, as `pg_basebackup -R` would set it up. */
export async function startReplicaPair(): Promise<ReplicaPair> {
  const dir = await temporaryDir()
  const folders = { primary: join(dir, 'primary'), replica: join(dir, 'replica') }
  const start = async (dataDir: string, settings: Record<string, string>) => {
    const cluster = await startCluster({
      dataDir,
      packageName: process.env['TEST_POSTGRES_PACKAGE'],
      settings,
    })
    onFileFinished(() => cluster.stop())
    return cluster
  }
  // A stopped server is a complete copy of itself.
  await (await start(folders.primary, SETTINGS)).stop()
  for (const part of ['', '.password']) {
    await promisify(execFile)('cp', ['-a', folders.primary + part, folders.replica + part])
  }
  const primary = await start(folders.primary, SETTINGS)
  await writeFile(join(folders.replica, 'standby.signal'), '')
  const { hostname, port, username, password } = new URL(primary.url())
  const replica = await start(folders.replica, {
    ...SETTINGS,
    primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
  })
  return {
    primary,
    replica,
    async promote() {
      const admin = new pg.Client({ connectionString: replica.url() })
      await admin.connect()
      await admin.query('select pg_promote()')
      await admin.end()
    },
  }
}

/** The connection string with both servers, whichever of them is the primary. */
export function urlOfBoth({ primary, replica }: ReplicaPair, database: string): string {
  const [first, second] = [new URL(primary.url(database)), new URL(replica.url(database))]
  return `postgres://${first.username}:${first.password}@${first.host},${second.host}${first.pathname}?target_session_attrs=read-write`
}
