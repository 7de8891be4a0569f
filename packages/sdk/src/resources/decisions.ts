import type { Client } from '../client.ts'
import { cursorItems } from '../cursor-pages.ts'
import type { CallOptions, Query } from '../operation.ts'

/** The stored decisions of the gateway. To request one, see `gateway.decide`. */
export function createDecisionsApi(client: Client) {
  return {
    /** Newest first. */
    list: (query?: Query<'GET', '/v1/decisions'>, call?: CallOptions) =>
      cursorItems(client, '/v1/decisions', { ...call, query }),
    get: (decisionId: string, call?: CallOptions) =>
      client.request('GET', '/v1/decisions/{decision_id}', {
        ...call,
        params: { decision_id: decisionId },
      }),
    /** Counts per interval. */
    stats: (query?: Query<'GET', '/v1/decisions/stats'>, call?: CallOptions) =>
      client.request('GET', '/v1/decisions/stats', { ...call, query }),
    /** NDJSON or CSV; an unread Response, because it can be large. */
    export: (query?: Query<'GET', '/v1/decisions/export'>, call?: CallOptions) =>
      client.raw('GET', '/v1/decisions/export', {
        ...call,
        query,
        headers: { accept: '*/*', ...call?.headers },
      }),
  }
}
