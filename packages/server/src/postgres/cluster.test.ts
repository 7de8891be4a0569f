import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { findBinaries } from './binaries.ts'
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts'
import { findProcess, listOrphans } from './processes.ts'

const isRoot = process.getuid?.() === 0
const THROW_AWAY = { fsync: 'off' }

let root: string
let dataDir: string
let started: Cluster[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cluster-'))
  dataDir = join(root, 'postgres')
  started = []
})

afterEach(async () => {
  await Promise.all(started.map((cluster) => cluster.stop()))
  rmSync(root, { recursive: true, force: true })
})

async function start(options: Partial<ClusterOptions> = {}): Promise<Cluster> {
  const cluster = await startCluster({ dataDir, settings: THROW_AWAY, ...options })
  started.push(cluster)
  return cluster
}

async function query(cluster: Cluster, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(cluster.url())
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

/** Kills the server and waits for its restart. */
async function killServer(cluster: Cluster): Promise<void> {
  const { pid } = cluster
  process.kill(pid, 'SIGKILL')
  await eventually(() => expect(cluster.pid).not.toBe(pid))
}

const KEEP = 'CREATE TABLE kept AS SELECT 7 AS n'

describe('startCluster', () => {
  it('creates a durable UTF-8 database on 127.0.0.1 and keeps its data over a restart', async () => {
    const first = await start({ settings: {} })
    await query(first, KEEP)
    const [facts] = await query(
      first,
      `SELECT current_setting('fsync') AS fsync, current_setting('data_checksums') AS checksums,
        current_setting('listen_addresses') AS listen, current_setting('TimeZone') AS zone,
        current_setting('unix_socket_directories') AS sockets, datcollate, datctype,
        pg_encoding_to_char(encoding) AS encoding
        FROM pg_database WHERE datname = current_database()`,
    )
    expect(facts).toMatchObject({ fsync: 'on', checksums: 'on', listen: '127.0.0.1', zone: 'UTC' })
    expect(facts).toMatchObject({ sockets: '', encoding: 'UTF8', datctype: 'C.UTF-8' })
    await first.stop()
    expect(findProcess(first.pid)).toBeUndefined()

    const second = await start({ settings: {} })
    expect(second.reused).toBe(false)
    expect(await query(second, 'SELECT n FROM kept')).toEqual([{ n: 7 }])
  })

  it('keeps the password in a file that only the owner can read, and accepts no other', async () => {
    const cluster = await start()
    const file = `${dataDir}.password`
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8').length).toBeGreaterThanOrEqual(32)

    const wrong = new URL(cluster.url())
    wrong.password = 'wrong'
    await expect(new pg.Client(wrong.href).connect()).rejects.toMatchObject({ code: '28P01' })
  })

  it('starts over if initdb was interrupted', async () => {
    const leftover = `${dataDir}.init-abcdef`
    mkdirSync(join(leftover, 'data', 'base'), { recursive: true })
    writeFileSync(join(leftover, 'data', 'PG_VERSION'), '18\n')
    writeFileSync(`${dataDir}.password`, 'the-password-chosen-before-the-crash')

    const cluster = await start()
    expect(new URL(cluster.url()).password).toBe('the-password-chosen-before-the-crash')
    expect(readdirSync(root).sort()).toEqual(['postgres', 'postgres.log', 'postgres.password'])
  })

  it('refuses a folder with other content, and leaves it unchanged', async () => {
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, 'holiday.jpg'), 'beach')
    await expect(start()).rejects.toThrow('neither empty nor a database')
    expect(readdirSync(dataDir)).toEqual(['holiday.jpg'])
  })

  it('says what to do if another major version wrote the folder', async () => {
    await (await start()).stop()
    writeFileSync(join(dataDir, 'PG_VERSION'), '9\n')
    await expect(start()).rejects.toThrow(/written by PostgreSQL 9, .* Make a backup/)
  })

  it('says which file to restore if the password is lost or wrong', async () => {
    await (await start()).stop()
    const file = `${dataDir}.password`
    rmSync(file)
    await expect(start()).rejects.toThrow(`put back the file ${file}`)
    writeFileSync(file, 'another')
    await expect(start()).rejects.toThrow('does not accept the password')
    expect(existsSync(join(dataDir, 'postmaster.pid'))).toBe(false)
  })

  it('reports the reason if the server does not start', async () => {
    await expect(start({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
      /does not start:.*shared_buffers/s,
    )
  })

  it('truncates a log that has grown too long', async () => {
    await (await start()).stop()
    writeFileSync(`${dataDir}.log`, 'x'.repeat(5_000_000))
    await start()
    expect(statSync(`${dataDir}.log`).size).toBeLessThan(10_000)
    expect(statSync(`${dataDir}.log.1`).size).toBe(5_000_000)
  })
})

describe('a server that dies', () => {
  it('is restarted on the same port with all committed data', async () => {
    const cluster = await start()
    const { port, pid } = cluster
    const exits: number[] = []
    cluster.onExit((exited) => exits.push(exited))
    await query(cluster, KEEP)

    for (let times = 0; times < 2; times++) {
      await killServer(cluster)
      expect(await query(cluster, 'SELECT n FROM kept')).toEqual([{ n: 7 }])
      expect(cluster.port).toBe(port)
    }
    expect(exits).toHaveLength(2)
    expect(exits[0]).toBe(pid)
  })

  it('is restarted even if one of its processes is too busy to notice', async () => {
    const cluster = await start()
    const busy = query(cluster, 'DO $$ BEGIN LOOP NULL; END LOOP; END $$').catch(() => 'lost')
    await eventually(async () => {
      const [row] = await query(
        cluster,
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE 'DO%'",
      )
      expect(row).toEqual({ n: 1 })
    })
    await killServer(cluster)
    expect(await query(cluster, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(await busy).toBe('lost')
    expect(listOrphans(dataDir)).toEqual([])
  })

  it('stays down if it dies while being stopped, even during a restart', async () => {
    const cluster = await start()
    const exited = new Promise((resolve) => cluster.onExit(resolve))
    process.kill(cluster.pid, 'SIGKILL')
    await exited
    await cluster.stop()
    await cluster.stop()
    await expect(query(cluster, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it.each([
    ['a stranger', 'echo $$; exec sleep 60'],
    ['the unreaped remains of a process', 'true & echo $!; exec sleep 60'],
  ])('recovers if its pid file names %s', async (_, script) => {
    const first = await start()
    await query(first, KEEP)
    const pidFile = join(dataDir, 'postmaster.pid')
    const lines = readFileSync(pidFile, 'utf8').split('\n')
    await first.stop()

    const stranger = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const [pid] = (await once(stranger.stdout, 'data')) as [Buffer]
      writeFileSync(pidFile, [pid.toString().trim(), ...lines.slice(1)].join('\n'))
      const second = await start()
      expect(second.reused).toBe(false)
      expect(await query(second, 'SELECT n FROM kept')).toEqual([{ n: 7 }])
      expect(findProcess(stranger.pid ?? 0)).toBeDefined()
    } finally {
      stranger.kill()
      await once(stranger, 'exit')
    }
  })
})

describe.runIf(isRoot)('as root', () => {
  it('runs below a folder closed to everyone else, through a user namespace', async () => {
    chmodSync(root, 0o700)
    const cluster = await start({ asRoot: 'user-namespace' })
    expect(readFileSync(`/proc/${cluster.pid}/uid_map`, 'utf8').trim()).toMatch(/^65534\s+0\s+1$/)
    expect(statSync(dataDir).uid).toBe(0)
  })

  it('says what to do if no root mode works', async () => {
    chmodSync(root, 0o700)
    const below = join(root, 'below', 'postgres')
    await expect(start({ asRoot: 'nobody', dataDir: below })).rejects.toThrow(
      'run as an ordinary user or set DATABASE_URL',
    )
  })
})

/** If only the owner can enter the checkout, other users cannot run its programs. */
async function areProgramsReachable(): Promise<boolean> {
  const { postgres } = await findBinaries()
  let dir = dirname(postgres)
  while (dir !== dirname(dir)) {
    if ((statSync(dir).mode & 0o001) === 0) return false
    dir = dirname(dir)
  }
  return true
}

const hasNobody = isRoot && (await areProgramsReachable())

describe.runIf(hasNobody)('as root, through the user nobody', () => {
  it('runs as nobody if the folder is reachable', async () => {
    chmodSync(root, 0o755)
    const cluster = await start({ asRoot: 'nobody' })
    expect(readFileSync(`/proc/${cluster.pid}/status`, 'utf8')).toMatch(/^Uid:\s+65534/m)
    expect(statSync(dataDir).uid).toBe(65534)
    await killServer(cluster)
    expect(await query(cluster, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('keeps the data if the root mode changes', async () => {
    chmodSync(root, 0o755)
    await query(await start({ asRoot: 'nobody' }), KEEP)
    for (const asRoot of ['user-namespace', 'nobody', 'user-namespace'] as const) {
      await started.at(-1)?.stop()
      expect(await query(await start({ asRoot }), 'SELECT n FROM kept')).toEqual([{ n: 7 }])
    }
  })

  it('lets nobody traverse its folder', async () => {
    chmodSync(root, 0o755)
    const own = join(root, 'own')
    await start({ asRoot: 'nobody', dataDir: join(own, 'postgres') })
    expect(statSync(own).mode & 0o777).toBe(0o711)
  })
})

/** The oldest version with a package for this system; none has PostgreSQL 14 for arm64. */
const OLDEST = new Map([
  ['x64', 14],
  ['arm64', 15],
]).get(process.arch)

describe.runIf(process.platform === 'linux' && OLDEST !== undefined)(`PostgreSQL ${OLDEST}`, () => {
  it('runs as well, and its folder is refused by 18', async () => {
    const cluster = await start({ packageName: `postgres-${OLDEST}-linux-${process.arch}` })
    const [row] = await query(cluster, "SELECT current_setting('server_version') AS version")
    expect(row?.['version']).toMatch(new RegExp(`^${OLDEST}\\.`))
    await killServer(cluster)
    expect(await query(cluster, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await cluster.stop()
    await expect(start()).rejects.toThrow(`written by PostgreSQL ${OLDEST}`)
  })
})
