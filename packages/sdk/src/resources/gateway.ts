import type { Client } from '../client.ts'
import type { Body, CallOptions, Query } from '../operation.ts'
import { items } from '../pages.ts'

const ESCALATION = '/v1/escalations/{escalation_id}'

/** Whether a tool may be called, and the questions to people that come of it. */
export function gatewayOf(client: Client) {
  const of = (id: string, call?: CallOptions) => ({ ...call, params: { escalation_id: id } })
  return {
    decide: (body: Body<'POST', '/v1/gateway/decide'>, call?: CallOptions) =>
      client.request('POST', '/v1/gateway/decide', { ...call, body }),
    escalations: (query?: Query<'GET', '/v1/escalations'>, call?: CallOptions) =>
      items(client, '/v1/escalations', { ...call, query }),
    escalation: (escalationId: string, call?: CallOptions) =>
      client.request('GET', ESCALATION, of(escalationId, call)),
    resolve: (
      escalationId: string,
      body: Body<'POST', '/v1/escalations/{escalation_id}/resolve'>,
      call?: CallOptions,
    ) => {
      const path = '/v1/escalations/{escalation_id}/resolve'
      return client.request('POST', path, { ...of(escalationId, call), body })
    },
  }
}

/** A task with a list of the tools it may use, for a while. */
export function transactionsOf(client: Client) {
  const of = (id: string, call?: CallOptions) => ({ ...call, params: { transaction_id: id } })
  return {
    create: (body: Body<'POST', '/v1/transactions'>, call?: CallOptions) =>
      client.request('POST', '/v1/transactions', { ...call, body }),
    list: (query?: Query<'GET', '/v1/transactions'>, call?: CallOptions) =>
      items(client, '/v1/transactions', { ...call, query }),
    get: (transactionId: string, call?: CallOptions) =>
      client.request('GET', '/v1/transactions/{transaction_id}', of(transactionId, call)),
    complete: (transactionId: string, call?: CallOptions) =>
      client.request('POST', '/v1/transactions/{transaction_id}/complete', of(transactionId, call)),
    cancel: (transactionId: string, call?: CallOptions) =>
      client.request('DELETE', '/v1/transactions/{transaction_id}', of(transactionId, call)),
  }
}
