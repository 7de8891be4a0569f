import { generateKeyPairSync, sign } from 'node:crypto'
import {
  assembleDecisionReceipt,
  batchPayload,
  createDecisionBatch,
  decisionLeaf,
  decisionPayload,
  decisionStatement,
} from '@touchstone/protocol/policy'

const ROUNDS = 400
const WARM_UP_ROUNDS = 200

/** The microseconds that one decision costs in a batch: statement, leaf, tree, signature, receipt. */
export function signingMicroseconds(size: number): number {
  const { privateKey } = generateKeyPairSync('ed25519')
  const at = new Date().toISOString()
  const signBatch = (): void => {
    const prepared = Array.from({ length: size }, (_, index) => {
      const statement = decisionStatement({
        decision_id: `dec-01900000-0000-7000-8000-${String(index).padStart(12, '0')}`,
        decision: 'allow',
        agent_id: 'bench-gateway',
        tool: 'mcp__shop__search',
        arguments_hash: '0'.repeat(64),
        policy_id: 'pol-1',
        policy_version: 1,
        transaction_id: null,
        escalation_id: null,
        decided_at: at,
      })
      return { statement, leaf: decisionLeaf(decisionPayload(statement)) }
    })
    const { head, placeOf } = createDecisionBatch(
      prepared.map(({ leaf }) => leaf),
      at,
    )
    const signature = sign(null, Buffer.from(batchPayload(head)), privateKey).toString('base64')
    for (const [index, { statement }] of prepared.entries()) {
      assembleDecisionReceipt(statement, placeOf(index), { keyId: '0123456789abcdef', signature })
    }
  }
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) signBatch()
  const startedAt = performance.now()
  for (let round = 0; round < ROUNDS; round += 1) signBatch()
  return ((performance.now() - startedAt) * 1000) / (ROUNDS * size)
}
