import { bytesToHex } from '@touchstone/protocol/base'
import { ed25519PublicKey, keyId, signEd25519 } from '@touchstone/protocol/crypto'
import { sql } from 'kysely'
import { testLogQueue } from '#harness/log-queue.ts'
import { type Clock, systemClock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { createTimedUuids, toDecisionId } from '../../../kernel/ids.ts'
import type { DecisionRecord } from './decision-record.ts'
import type { DecisionDurability } from './durability.ts'
import { createLedger } from './ledger-service.ts'
import type { Agents } from './ports.ts'
import { createSessionCounters } from './session-counter-service.ts'

const SEED = new Uint8Array(32).fill(7)
const PUBLIC_KEY = ed25519PublicKey(SEED)
/** The published key of the ledgers below. */
export const KEY = { key_id: keyId(PUBLIC_KEY), public_key: bytesToHex(PUBLIC_KEY) }

/** Counts signatures; agents called erased-… do not exist. */
export function createTestLedger(
  db: Db,
  clock: Clock = systemClock,
  durability: DecisionDurability = 'before_answer',
) {
  let signatures = 0
  let unrecorded = 0
  const announced: DecisionRecord[] = []
  const agents: Agents = {
    selectExisting: (agentIds) => sql`select agent_id from unnest(${agentIds}::text[])
      as given (agent_id) where agent_id not like 'erased-%'`,
    lockedAmong: async () => [],
  }
  const ledger = createLedger({
    db,
    clock,
    durability,
    agents,
    log: testLogQueue(),
    sessionCounters: createSessionCounters({ db, groupCommitDb: db, clock, agents }),
    signer: async () => ({
      keyId: KEY.key_id,
      signOnWorker: async (payload) => {
        signatures += 1
        return Buffer.from(signEd25519(payload, SEED))
      },
    }),
    announceStopped: async (_, stopped) => void announced.push(...stopped),
    onUnrecorded: () => {
      unrecorded += 1
    },
    onError: () => undefined,
  })
  return { ledger, announced, signatures: () => signatures, unrecorded: () => unrecorded }
}

const newUuid = createTimedUuids()

export function decisionOf(over: Partial<DecisionRecord> = {}): DecisionRecord {
  const { decidedAt = new Date() } = over
  return {
    decisionId: toDecisionId(`dec-${newUuid(decidedAt.getTime())}`),
    orgId: 'org-1',
    agentId: 'agent-1',
    tool: 'refund',
    decision: 'allow',
    reasons: [],
    verdict: 'pass',
    enforcementMode: 'enforce',
    agentEnforcementMode: 'enforce',
    policyId: 'pol-1',
    policyVersion: 3,
    askedBy: 'key-1',
    source: 'api',
    enforced: true,
    sessionId: 'session-1',
    callId: 'call-1',
    client: 'claude-code/2.1',
    argumentsHash: 'ab'.repeat(32),
    transactionId: null,
    escalationId: null,
    decidedAt,
    durationMs: 1.234,
    ...over,
  }
}
