import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer, Body, Query } from '@touchstone/sdk'
import { api } from '../../session/session.ts'

export type Endpoint = Answer<'GET', '/v1/orgs/{org_id}/webhooks'>['webhooks'][number]
export type Delivery = Answer<'GET', '/v1/orgs/{org_id}/webhooks/deliveries'>['deliveries'][number]
export type DeliveryQuery = Query<'GET', '/v1/orgs/{org_id}/webhooks/deliveries'>
export type EndpointBody = Body<'POST', '/v1/orgs/{org_id}/webhooks'>
export type EndpointChange = Body<'PATCH', '/v1/orgs/{org_id}/webhooks/{endpoint_id}'>

export const webhooksKey = (orgId: string) => ['webhooks', orgId] as const

export function useEndpoints(orgId: string) {
  return useQuery({
    queryKey: [...webhooksKey(orgId), 'endpoints'],
    queryFn: () => api.request('GET', '/v1/orgs/{org_id}/webhooks', { params: { org_id: orgId } }),
  })
}

export function useEndpoint(orgId: string, endpointId: string) {
  return useQuery({
    queryKey: [...webhooksKey(orgId), 'endpoint', endpointId],
    queryFn: () =>
      api.request('GET', '/v1/orgs/{org_id}/webhooks/{endpoint_id}', {
        params: { org_id: orgId, endpoint_id: endpointId },
      }),
  })
}

export function useDeliveries(orgId: string, query: DeliveryQuery) {
  return useQuery({
    queryKey: [...webhooksKey(orgId), 'deliveries', query],
    queryFn: () =>
      api.request('GET', '/v1/orgs/{org_id}/webhooks/deliveries', {
        params: { org_id: orgId },
        query,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.deliveries.some(isInFlight) ? POLL_MS : false),
  })
}

export function useDelivery(orgId: string, deliveryId: string) {
  return useQuery({
    queryKey: [...webhooksKey(orgId), 'delivery', deliveryId],
    queryFn: () =>
      api.request('GET', '/v1/orgs/{org_id}/webhooks/deliveries/{delivery_id}', {
        params: { org_id: orgId, delivery_id: deliveryId },
      }),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isInFlight(state.data) ? POLL_MS : false,
  })
}

/** Polls only while a delivery is in flight. */
const POLL_MS = 2000

function isInFlight({ status }: Pick<Delivery, 'status'>): boolean {
  return status === 'pending' || status === 'delivering'
}
