import type { Client } from '../client.ts'
import type { Body, CallOptions, Query } from '../operation.ts'
import { items } from '../pages.ts'

const ESCALATION = '/v1/escalations/{escalation_id}'

/** Decisions about tool calls, and the escalations that wait for a person. */
export function createGatewayApi(client: Client) {
  const forEscalation = (id: string, call?: CallOptions) => ({
    ...call,
    params: { escalation_id: id },
  })
  return {
    decide: (body: Body<'POST', '/v1/gateway/decide'>, call?: CallOptions) =>
      client.request('POST', '/v1/gateway/decide', { ...call, body }),
    /** Up to 50 calls in one transaction; each result has the status and body that `decide` would have. */
    decideBatch: (body: Body<'POST', '/v1/gateway/decide/batch'>, call?: CallOptions) =>
      client.request('POST', '/v1/gateway/decide/batch', { ...call, body }),
    /** Reports what became of a decision; only the credential that asked may. */
    reportOutcome: (
      decisionId: string,
      body: Body<'POST', '/v1/decisions/{decision_id}/outcome'>,
      call?: CallOptions,
    ) => {
      const params = { decision_id: decisionId }
      return client.request('POST', '/v1/decisions/{decision_id}/outcome', {
        ...call,
        params,
        body,
      })
    },
    reportOutcomes: (body: Body<'POST', '/v1/decisions/outcomes'>, call?: CallOptions) =>
      client.request('POST', '/v1/decisions/outcomes', { ...call, body }),
    escalations: (query?: Query<'GET', '/v1/escalations'>, call?: CallOptions) =>
      items(client, '/v1/escalations', { ...call, query }),
    /** With `wait`, a pending escalation is answered on a change, or after that many seconds. */
    escalation: (escalationId: string, { wait, ...call }: CallOptions & { wait?: number } = {}) =>
      client.request('GET', ESCALATION, { ...forEscalation(escalationId, call), query: { wait } }),
    resolve: (
      escalationId: string,
      body: Body<'POST', '/v1/escalations/{escalation_id}/resolve'>,
      call?: CallOptions,
    ) => {
      const path = '/v1/escalations/{escalation_id}/resolve'
      return client.request('POST', path, { ...forEscalation(escalationId, call), body })
    },
  }
}

/** Tasks with a list of allowed tools and a time limit. */
export function createTransactionsApi(client: Client) {
  const forTransaction = (id: string, call?: CallOptions) => ({
    ...call,
    params: { transaction_id: id },
  })
  return {
    create: (body: Body<'POST', '/v1/transactions'>, call?: CallOptions) =>
      client.request('POST', '/v1/transactions', { ...call, body }),
    list: (query?: Query<'GET', '/v1/transactions'>, call?: CallOptions) =>
      items(client, '/v1/transactions', { ...call, query }),
    get: (transactionId: string, call?: CallOptions) =>
      client.request(
        'GET',
        '/v1/transactions/{transaction_id}',
        forTransaction(transactionId, call),
      ),
    complete: (transactionId: string, call?: CallOptions) =>
      client.request(
        'POST',
        '/v1/transactions/{transaction_id}/complete',
        forTransaction(transactionId, call),
      ),
    cancel: (transactionId: string, call?: CallOptions) =>
      client.request(
        'DELETE',
        '/v1/transactions/{transaction_id}',
        forTransaction(transactionId, call),
      ),
  }
}
