import type { Db } from '../../../kernel/db.ts'

export type Agents = {
  /** Locks the agent until the transaction ends; throws `conflict` if it is archived. */
  assertOpen(tx: Db, agentId: string): Promise<void>
}

/** An organisation's template, or the card of an agent whose exemption changed. */
type Part = { kind: 'template' | 'card'; id: string }

/** Invalidated because policies are compiled with composed cards. */
export type Policies = {
  /** Called in the transaction of the change. */
  invalidateLayer(tx: Db, part: Part): Promise<void>
  /** Called after commit. */
  evictLayer(part: Part): void
}
