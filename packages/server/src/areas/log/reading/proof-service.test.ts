import { createNoteKey } from '@touchstone/protocol/log'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { LoggedRecord } from './ports.ts'
import { createProofs } from './proof-service.ts'

const SCORE: LoggedRecord = {
  orgId: null,
  agentId: 'clerk',
  type: 'score',
  recordId: 'clerk/now',
  index: 0,
  record: '{}',
}

/** Proves the score of an agent whose lookup fails. */
const prove = (failure: Error) => {
  const proofs = createProofs({
    clock: systemClock,
    entries: {
      find: async () => [SCORE],
      listAt: async () => [],
      checkpointSpan: async () => undefined,
      open: async () => undefined,
      findPending: async () => undefined,
      countPending: async () => 0,
      saltOfDeployment: async () => new Uint8Array(32),
    },
    log: {
      key: async () =>
        createNoteKey({ name: 'log.example', type: 'ed25519', publicKey: new Uint8Array(32) }),
      coseSigner: async () => ({
        origin: 'log.example',
        keyId: 'key-0',
        sign: () => new Uint8Array(64),
      }),
      newest: async () => undefined,
      findHolding: async () => undefined,
      getTile: async () => undefined,
      fault: async () => null,
    },
    witnesses: {
      witnesses: [],
      quorum: 0,
      published: async () => undefined,
      isLate: async () => false,
      views: async () => [],
    },
    agents: {
      get: async () => Promise.reject(failure),
      orgOf: async () => undefined,
    },
    decisions: { batchRootOf: async () => undefined },
    onError: () => undefined,
  })
  return proofs.prove({ recordId: SCORE.recordId, type: 'score', orgIds: [] })
}

describe('a proof of a record about an agent', () => {
  it('is not found by those who cannot see the agent', async () => {
    const hidden = new Problem('agent_not_found', 'No such agent.')
    await expect(prove(hidden)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('fails if the agent cannot be read, instead of being reported as missing', async () => {
    const broken = new Error('the database does not answer')
    await expect(prove(broken)).rejects.toBe(broken)
  })
})
