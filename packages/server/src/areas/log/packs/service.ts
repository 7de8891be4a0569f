import { type Clock, DAY_MS, later, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, isUniqueViolation, purgeInPages, transact } from '../../../kernel/db.ts'
import { type AgentId, newId, type OrgId, toOrgId } from '../../../kernel/ids.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import { invalidField, Problem } from '../../../kernel/problem.ts'
import { type BuildDeps, buildPack, createDigest, partsOf } from './build-service.ts'
import { FRAMEWORKS, type Framework, type Pack, type Period } from './pack.ts'
import type { Agents } from './ports.ts'
import { createPackStore } from './store.ts'

export type PackDeps = BuildDeps & {
  db: Db
  clock: Clock
  jobs: Jobs
  agents: Agents
  onError(err: unknown): void
}

export type PackService = ReturnType<typeof createPackService>

const JOB = 'log.pack'
const PART_BYTES = 1024 * 1024
const KEPT_MS = 7 * DAY_MS
const KEPT_MAX = 10
const PERIOD_MS_MAX = 366 * DAY_MS
const PROGRESS_MS = SECOND_MS

/** Evidence of a period as one file, built in the background and kept for a week. */
export function createPackService(deps: PackDeps) {
  const { db, clock, jobs } = deps
  const store = createPackStore(db)
  const find = async (orgId: string, packId: string): Promise<Pack> => {
    const pack = await store.find(orgId, packId)
    if (pack === undefined || pack.expiresAt <= clock.now()) {
      throw new Problem('not_found', 'No such evidence pack.')
    }
    return pack
  }
  return {
    find,

    /** Newest first. */
    async list(orgId: string): Promise<Pack[]> {
      const now = clock.now()
      return (await store.list(orgId)).filter(({ expiresAt }) => expiresAt > now)
    },

    async request(
      orgId: string,
      wanted: Period & { frameworks: readonly Framework[] | undefined; requestedBy: string },
    ): Promise<Pack> {
      assertPeriod(wanted)
      const now = clock.now()
      const pack: Pack = {
        ...wanted,
        packId: newId('pack'),
        orgId,
        frameworks: wanted.frameworks ?? FRAMEWORKS,
        status: 'queued',
        progress: 0,
        error: null,
        bytes: null,
        sha256: null,
        createdAt: now,
        expiresAt: later(now, KEPT_MS),
      }
      try {
        await transact(db, async (tx) => {
          await createPackStore(tx).deleteOldest(orgId, KEPT_MAX - 1)
          await createPackStore(tx).insert(pack)
          await jobs.enqueue(tx, JOB, { pack_id: pack.packId })
        })
      } catch (err) {
        if (!isUniqueViolation(err, 'log_pack_in_progress')) throw err
        throw new Problem('conflict', 'A pack of this organisation is in progress. Wait for it.')
      }
      return pack
    },

    /** The bytes, part by part. */
    async download(orgId: string, packId: string) {
      const pack = await find(orgId, packId)
      if (pack.status !== 'ready' || pack.bytes === null) {
        throw new Problem('conflict', `The pack is ${pack.status}, not ready.`)
      }
      return { pack, bytes: pack.bytes, parts: readParts(deps, pack) }
    },

    handleJobs: (): void => jobs.handle(JOB, (payload) => build(deps, packIdOf(payload))),

    purge: (now: Date): Promise<number> =>
      purgeInPages((rowsMax) => store.deleteExpired(now, rowsMax)),

    /** A pack has records of its agents, so none outlives one of them. */
    async eraseAgent(tx: Db, agentId: AgentId): Promise<void> {
      const orgId = await deps.agents.orgOf(agentId, tx)
      if (orgId !== undefined) await createPackStore(tx).deleteOfOrg(toOrgId(orgId))
    },

    eraseOrg: (tx: Db, orgId: OrgId): Promise<void> => createPackStore(tx).deleteOfOrg(orgId),
  }
}

function assertPeriod({ from, to }: Period): void {
  if (from >= to) throw invalidField('from', 'must be before to')
  if (to.getTime() - from.getTime() > PERIOD_MS_MAX) {
    throw invalidField('to', 'must be at most 366 days after from')
  }
}

function packIdOf(payload: unknown): string {
  const { pack_id: packId } = Object(payload)
  if (typeof packId !== 'string') throw new TypeError('the job names no pack')
  return packId
}

/** A failure is shown with the pack; only a crash starts it again. */
async function build(deps: PackDeps, packId: string): Promise<void> {
  const { db, clock } = deps
  const store = createPackStore(db)
  const pack = await transact(db, (tx) => createPackStore(tx).begin(packId))
  if (pack === undefined) return
  let shownAt = 0
  const onProgress = (percent: number) => {
    if (performance.now() - shownAt < PROGRESS_MS) return
    shownAt = performance.now()
    store.setProgress(packId, Math.min(99, Math.floor(percent))).catch(deps.onError)
  }
  try {
    const digest = createDigest()
    let part = 0
    for await (const content of partsOf(buildPack(deps, pack, onProgress), PART_BYTES)) {
      digest.add(content)
      await store.insertPart(packId, part, content)
      part += 1
    }
    await store.finish(packId, { ...digest.end(), expiresAt: later(clock.now(), KEPT_MS) })
  } catch (err) {
    deps.onError(err)
    const reason =
      err instanceof Problem ? err.message : 'It could not be built. Request a new one.'
    await store.fail(packId, reason)
  }
}

async function* readParts({ db }: PackDeps, { packId, bytes }: Pack): AsyncGenerator<Uint8Array> {
  const store = createPackStore(db)
  let left = bytes ?? 0
  for (let part = 0; left > 0; part += 1) {
    const content = await store.findPart(packId, part)
    if (content === undefined) throw new Error(`part ${part} of ${packId} is missing`)
    left -= content.length
    yield content
  }
}
