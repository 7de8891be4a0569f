import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type Cluster, startCluster } from './cluster.ts'
import { lockDataDir } from './data-lock.ts'
import { SUPERUSER } from './initialise.ts'

export type Embedded = { connectionString: string; stop(): Promise<void> }

const DATABASE = 'touchstone'

/** Opens the database of a data folder, for the one process that holds its lock. */
export async function openEmbedded(
  dataDir: string,
  log: (message: string) => void,
): Promise<Embedded> {
  const lock = await lockDataDir(dataDir)
  let cluster: Cluster | undefined
  const stop = async () => {
    try {
      await cluster?.stop()
    } finally {
      lock.release()
    }
  }
  try {
    cluster = await startCluster({ dataDir: clusterDir(dataDir), log })
    await createDatabaseOnce(cluster)
    return { connectionString: cluster.url(DATABASE), stop }
  } catch (err) {
    await stop()
    throw err
  }
}

/** The address of the server running on this data folder; undefined if none is. */
export async function findRunning(dataDir: string): Promise<string | undefined> {
  const dir = clusterDir(dataDir)
  try {
    const [pidFile, password] = await Promise.all([
      readFile(join(dir, 'postmaster.pid'), 'utf8'),
      readFile(`${dir}.password`, 'utf8'),
    ])
    // The fourth line of postmaster.pid is the port.
    const port = pidFile.split('\n')[3]?.trim() ?? ''
    const url = `postgresql://${SUPERUSER}:${encodeURIComponent(password.trim())}@127.0.0.1:${port}/${DATABASE}`
    const probe = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
    await probe.connect()
    await probe.end()
    return url
  } catch {
    return undefined
  }
}

function clusterDir(dataDir: string): string {
  return join(dataDir, 'postgres')
}

async function createDatabaseOnce(cluster: Cluster): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.url('postgres') })
  await client.connect()
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}
