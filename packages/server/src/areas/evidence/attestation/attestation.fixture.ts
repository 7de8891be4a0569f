import { readFileSync } from 'node:fs'
import { type PublishedKey, publishedKey } from '@touchstone/protocol/crypto'
import {
  type AttestedRecord,
  buildRecord,
  type Certificate,
  type RecordParts,
  type SealedRecord,
} from '@touchstone/protocol/evidence'
import { NO_QUORUM } from '@touchstone/protocol/log'
import type { FastifyRequest } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import { testLogQueue } from '#harness/log-queue.ts'
import type { AuditEntry } from '../../../audit.ts'
import type { Caller } from '../../../http/identity/caller.ts'
import { createServer, mountApi, type Server } from '../../../http/server.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toOrgId } from '../../../kernel/ids.ts'
import { createLifecycle } from '../../../kernel/lifecycle.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { createSecretBox } from '../../../kernel/secrets.ts'
import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { createAttestationFeature } from './feature.ts'
import type { Agents, Checkpoints } from './ports.ts'
import type { ChainState, SealEntry, Sealed } from './seal.ts'

type Change = { name: string; certificate: number; pointer: string; value: unknown }

type Vectors = {
  seed: string
  base_url: string
  keys: PublishedKey[]
  checkpoints: {
    parts: RecordParts & { issued_at: string }
    certificate: Certificate
    certificate_hash: string
  }[]
  tampered: (Change & { failed: string[] })[]
  malformed: (Change & { code: string })[]
}

const file = new URL('../../../../../../vectors/attestation/certificate.json', import.meta.url)
export const vectors: Vectors = JSON.parse(readFileSync(file, 'utf8'))

export const TEST_SEED = Buffer.from(vectors.seed, 'hex')
export const TEST_KEY_ID = 'key-21fe31dfa154a261'

/** The certificate of a vector with one value replaced. */
export function changedCertificate({ certificate, pointer, value }: Change): unknown {
  const copy = structuredClone(vectors.checkpoints[certificate]?.certificate)
  const steps = pointer.slice(1).split('/')
  const member = steps.pop() ?? ''
  const parent = steps.reduce<Record<string, unknown>>(
    (at, step) => at[step] as Record<string, unknown>,
    copy as unknown as Record<string, unknown>,
  )
  parent[member] = value
  return copy
}

/** A distinct record for every number, which differs in more than its id. */
export function recordOf(agentId: string, number: number, synthetic = false): AttestedRecord {
  const first = vectors.checkpoints[0]?.parts
  if (first === undefined) throw new Error('the vectors have no checkpoint')
  const id = `ic-${agentId}-${number}`
  return buildRecord({
    ...first,
    subject: { ...first.subject, agent_id: agentId, checkpoint_id: id },
    claims: { ...first.claims, analysis_duration_ms: number, synthetic },
  })
}

export function entryOf(agentId: string, number: number, analysed = true): SealEntry {
  return { record: recordOf(agentId, number, !analysed), analysed }
}

export function emptyChain(agentId: string): ChainState {
  return { agentId, length: 0, chainHash: null, leafCount: 0, edge: [] }
}

export type NodeOptions = {
  seed?: Buffer
  secret?: number
  entries?: AuditEntry[]
  agents?: Agents
  checkpoints?: Checkpoints
}

const NO_CHECKPOINTS: Checkpoints = {
  findSealed: async () => undefined,
  findHead: async () => undefined,
}

/** The key of the witnessed log, which the published keys end with. */
export const LOG_KEY = publishedKey(new Uint8Array(32).fill(9), {
  createdAt: '2026-01-01T00:00:00.000Z',
  isActive: true,
  use: 'log',
})

/** One node of the feature on a real database with real notifications. */
export function createNode(
  place: { db: Db; clock: Clock; notices: Notices },
  options: NodeOptions = {},
) {
  const lifecycle: Lifecycle = createLifecycle()
  const { service } = createAttestationFeature(
    {
      ...place,
      audit: { record: async (_tx, entry) => void options.entries?.push(entry) },
      secrets: createSecretBox(Buffer.alloc(32, options.secret ?? 7)),
      logQueue: testLogQueue(place.clock),
      log: {
        publishedKey: async () => LOG_KEY,
        findProof: async () => undefined,
        trust: async () => ({ logs: [], witnesses: [], groups: [], quorum: NO_QUORUM }),
      },
      seed: options.seed,
      baseUrl: vectors.base_url,
      agents: options.agents ?? { get: async () => ({ own: false }) },
      checkpoints: options.checkpoints ?? NO_CHECKPOINTS,
    },
    lifecycle,
  )
  return { service, mount: lifecycle.mount }
}

/** The feature behind the real server without access checks, which are tested elsewhere. */
export function serve(feature: ReturnType<typeof createNode>): Server {
  const options = {
    baseUrl: 'http://localhost:8787',
    cors: { origins: [], keyHeaders: [] },
    registeredIds: {
      get: (agentId: string) => agentId,
      find: async (ids: readonly string[]) => [...ids],
    },
    connectionsPerAddress: 0,
    guard: async (req: FastifyRequest) => {
      const org = req.headers['x-test-org']
      req.caller = typeof org === 'string' ? keyCaller(org) : { kind: 'anonymous' }
      return undefined
    },
    idempotency: {
      begin: async () => false,
      finish: async () => undefined,
      purge: async () => 0,
    },
    isStillAdmitted: async () => true,
    onRequest: () => undefined,
    onAnswered: () => undefined,
    onFault: () => undefined,
  }
  const app = createServer(options)
  mountApi(app, options, feature.mount)
  return app
}

function keyCaller(orgId: string): Caller {
  const entitlements = { planId: 'free', features: new Set<never>(), requestsPerSecond: 10 }
  const tenant = {
    orgId: toOrgId(orgId),
    accountId: 'acc-1',
    role: 'member',
    entitlements,
    locked: false,
    needsSecondFactor: false,
  } as const
  const held = { client: 'api', enforces: true, agentId: null, allowedIps: [] } as const
  return { kind: 'key', keyId: 'ak-1', userId: 'u-1', scopes: ['read'], tenant, ...held }
}

export type SealedRow = SealedRecord & Sealed & { agentId: string }

/** Checkpoints in memory, sealed in the database, as the ledger does it. */
export function createFakeCheckpoints() {
  const rows = new Map<string, SealedRow>()
  const heads = new Map<string, ChainState>()
  let updatedAt = new Date(0)
  const port: Checkpoints = {
    findSealed: async (checkpointId) => rows.get(checkpointId),
    findHead: async (agentId) => {
      const head = heads.get(agentId)
      return head && { leafCount: head.leafCount, updatedAt }
    },
  }
  return {
    port,
    rows,
    rowsOf: (agentId: string) => [...rows.values()].filter((row) => row.agentId === agentId),
    stateOf: (agentId: string) => heads.get(agentId) ?? emptyChain(agentId),

    /** All batches in one call; each names an agent and which of its records are analysed. */
    async seal(
      place: { db: Db; service: ReturnType<typeof createNode>['service']; now: Date },
      wanted: Readonly<Record<string, readonly boolean[]>>,
    ): Promise<void> {
      const batches = Object.entries(wanted).map(([agentId, analysed]) => {
        const state = heads.get(agentId) ?? emptyChain(agentId)
        const entries = analysed.map((kind, i) => entryOf(agentId, state.length + i, kind))
        return { state, entries }
      })
      const signer = await place.service.signer()
      const made = await transact(place.db, (tx) =>
        place.service.seal(tx, signer, batches, place.now),
      )
      updatedAt = place.now
      for (const [i, { state, sealed }] of made.entries()) {
        heads.set(state.agentId, state)
        for (const [j, one] of sealed.entries()) {
          const record = batches[i]?.entries[j]?.record
          if (record === undefined) throw new Error('sealed what nobody asked for')
          rows.set(record.subject.checkpoint_id, { ...one, record, agentId: state.agentId })
        }
      }
    },
  }
}

/** Disables the triggers that protect the tables for one change, which no role of the service can do. */
export async function tamper(db: Db, change: RawBuilder<unknown>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await change.execute(tx)
  })
}

/** Deletes all keys, which only tests do. */
export async function removeKeys(db: Db): Promise<void> {
  await tamper(db, sql`delete from attestation_key`)
}
