import { readFileSync } from 'node:fs'
import type { Certificate, PublishedKey } from '@touchstone/protocol'
import { sql } from 'kysely'
import type { AuditEntry } from '../../../kernel/audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { createSecretBox } from '../../../kernel/secrets.ts'
import { createAttestationFeature } from './feature.ts'

type Change = { name: string; certificate: number; pointer: string; value: unknown }

type Vectors = {
  seed: string
  keys: PublishedKey[]
  checkpoints: { certificate: Certificate }[]
  tampered: (Change & { failed: string[] })[]
  malformed: (Change & { code: string })[]
}

const file = new URL('../../../../../../vectors/attestation/certificate.json', import.meta.url)
export const vectors: Vectors = JSON.parse(readFileSync(file, 'utf8'))

export const TEST_SEED = Buffer.from(vectors.seed, 'hex')
export const TEST_KEY_ID = 'key-21fe31dfa154a261'

/** The certificate of a vector with the one value replaced. */
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

export type NodeOptions = { seed?: Buffer; secret?: number; entries?: AuditEntry[] }

/** One node of the feature on a real database with real notices. */
export function createNode(
  place: { db: Db; clock: Clock; notices: Notices },
  options: NodeOptions = {},
) {
  return createAttestationFeature({
    ...place,
    audit: { record: async (_tx, entry) => void options.entries?.push(entry) },
    secrets: createSecretBox(Buffer.alloc(32, options.secret ?? 7)),
    seed: options.seed,
  })
}

/** Keys are kept for ever; only a test may begin again, with the guard switched off. */
export async function removeKeys(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`delete from attestation_key`.execute(tx)
  })
}
