import type { ModelConnection, TurnRequest, TurnStart } from '../../../model-turn.ts'

export type Connections = {
  /** By the hash of a token; usually cached. Undefined if it is unknown or revoked. */
  recognise(hash: string): Promise<ModelConnection | undefined>
  credentialOf(connection: ModelConnection): string | undefined
  /** The address that the path is appended to; undefined if the operator no longer lists it. */
  upstreamOf(connection: ModelConnection): string | undefined
}

export type Plans = { entitlements(orgId: string): Promise<{ requestsPerSecond: number }> }

export type Turns = {
  /** The message for a contained agent; undefined if the agent may act. */
  containment(connection: ModelConnection): Promise<string | undefined>
  begin(request: TurnRequest): Promise<TurnStart>
}
