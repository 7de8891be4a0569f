import type { Db } from '../../../kernel/db.ts'

export type Agents = {
  /** Keeps the agent as it is until the transaction ends; throws `conflict` once archived. */
  assertOpen(tx: Db, agentId: string): Promise<void>
}

/** A template of an organisation, or the card of an agent that is freed from it or no more. */
type Part = { kind: 'template' | 'card'; id: string }

/** Policies are compiled with composed cards. */
export type Policies = {
  /** In the transaction of the change. */
  layerChanged(tx: Db, part: Part): Promise<void>
  /** Once it is through. */
  forgetLayer(part: Part): void
}
