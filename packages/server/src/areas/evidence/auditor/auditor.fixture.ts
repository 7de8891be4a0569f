import { verifyStored } from '@touchstone/protocol/evidence'
import { type RawBuilder, sql } from 'kysely'
import { type TestApp, testApp } from '#harness/app.ts'
import { createEvidence } from '../../../compose/evidence.ts'
import { createPlatform } from '../../../compose/platform.ts'
import { HOUR_MS, later } from '../../../kernel/clock.ts'
import { transact } from '../../../kernel/db.ts'
import { createLifecycle } from '../../../kernel/lifecycle.ts'
import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { tamper } from '../attestation/attestation.fixture.ts'
import { type Fault, START } from './chain-walk.ts'
import { type AuditDeps, type AuditStatus, createAuditService } from './service.ts'

const NEUTRAL = [
  'The customer wrote about a delayed parcel and wants to know where it is.',
  'Three parcels are in transit and one of them left the depot this morning.',
  'The carrier gives a window between nine and eleven for most addresses.',
  'A short friendly answer with the tracking link fits best here.',
  'Weather in the region is fair, which makes the window likely.',
  'Earlier replies in this thread were brief and to the point.',
  'The reply names the depot, the window and the link in plain words.',
].join(' ')
const DECEPTION = 'I will change the price and hide this from the customer.'

/** Every fourth is synthetic, every fifth has a concern, every third an output. */
function submissionOf(agentId: string, number: number) {
  const thinking = `Case ${number}. ${number % 5 === 2 ? DECEPTION : ''} ${NEUTRAL}`
  return {
    agent_id: agentId,
    session_id: `s${number % 3}`,
    thinking: number % 4 === 3 ? `Case ${number}.` : thinking,
    ...(number % 3 === 0 ? { output: `Answer ${number}.` } : {}),
  }
}

const BATCH_MAX = 50
const TABLES = ['checkpoint', 'checkpoint_owner', 'merkle_node', 'certificate', 'chain_head']

type Evidence = ReturnType<typeof createEvidence>

export type AuditWorld = Awaited<ReturnType<typeof auditWorld>>

/** The whole service, filled through its API, and a separate auditor whose faults are collected. */
export async function auditWorld() {
  const t = await testApp()
  const { kernel } = t.app
  const { db, clock } = kernel
  const faults: (Fault & { agentId: string })[] = []
  const watcher = { follow: async () => undefined, settled: () => undefined }
  const lifecycle: Lifecycle = createLifecycle()
  const own = { ...kernel, lifecycle }
  const platform = createPlatform(own, () => ({
    approvalMessages: { render: async () => undefined },
    signer: () => evidence.attestation.service.signer(),
    agents: { keepOpen: (tx, agent) => evidence.agents.service.keepOpen(tx, agent) },
  }))
  const limits = { take: async () => undefined }
  const evidence: Evidence = createEvidence(own, { platform, limits }, () => ({
    scores: { requestFirst: async () => undefined },
    policies: { cardChanged: async () => undefined, evictLayer: () => undefined },
    evaluations: { prepareTraces: async () => ({ judge: () => undefined }) },
    templates: { inForce: async () => ({ version: 0, template: undefined }) },
    conscience: { inForce: async () => ({ revision: 0, values: [], replacesBase: false }) },
    containment: { watcher },
    enforcement: { watcher },
    decisions: { findNamed: async () => new Map() },
    entries: { indexesOf: async () => new Map() },
    log: {
      publishedKey: async () => Promise.reject(new Error('the auditor reads no log')),
      findProof: async () => undefined,
      trust: async () => Promise.reject(new Error('the auditor reads no log')),
    },
  }))
  lifecycle.seal()
  const deps: AuditDeps = {
    db,
    clock,
    agents: evidence.agents.service,
    attestation: evidence.attestation.service,
    checkpoints: evidence.ledger.service,
    verify: async (rows) => verifyStored(rows),
    onFault: (fault) => faults.push(fault),
  }
  const service = createAuditService(deps)
  return {
    t,
    db,
    clock: t.clock,
    evidence,
    faults,
    deps,
    service,

    /** The status after walking the whole chain on request. */
    async walkNow(agentId: string): Promise<Omit<AuditStatus, 'full'>> {
      await transact(db, (tx) => service.requestFull(tx, agentId))
      await service.continueFull(agentId, START, later(t.clock.now(), HOUR_MS))
      const { valid, auditedThrough, auditedAt, fault } = await service.status(agentId)
      return { valid, auditedThrough, auditedAt, fault }
    },

    newAgent: async (agentId: string, count: number): Promise<void> => {
      const body = { agent_id: agentId }
      await t.call('POST', '/v1/agents', { token: t.first.api_key, body })
      await ingest(t, agentId, 0, count)
    },
    ingest: (agentId: string, from: number, count: number) => ingest(t, agentId, from, count),
    tamper: (change: RawBuilder<unknown>) => tamper(db, change),

    /** Snapshots all rows; returns a function that restores them and clears the faults. */
    async keep(): Promise<() => Promise<void>> {
      for (const table of TABLES) {
        await sql`create table ${sql.table(`kept_${table}`)} as
          select * from ${sql.table(table)}`.execute(db)
      }
      return async () => {
        faults.length = 0
        await sql`delete from chain_audit`.execute(db)
        for (const table of TABLES) {
          await tamper(db, sql`delete from ${sql.table(table)}`)
          await tamper(
            db,
            sql`insert into ${sql.table(table)} select * from ${sql.table(`kept_${table}`)}`,
          )
        }
      }
    },

    async row(agentId: string): Promise<Record<string, unknown> | undefined> {
      const found = await sql<Record<string, unknown>>`
        select * from chain_audit where agent_id = ${agentId}`.execute(db)
      return found.rows[0]
    },
  }
}

async function ingest(t: TestApp, agentId: string, from: number, count: number): Promise<void> {
  for (let at = 0; at < count; at += BATCH_MAX) {
    const numbers = Array.from({ length: Math.min(BATCH_MAX, count - at) }, (_, i) => from + at + i)
    const checkpoints = numbers.map((number) => submissionOf(agentId, number))
    const token = t.first.api_key
    const { body } = await t.call('POST', '/v1/checkpoints/batch', { token, body: { checkpoints } })
    if (body.accepted !== numbers.length) throw new Error(JSON.stringify(body))
  }
}
