import { useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { api } from '../../session/session.ts'

export type LogHealth = Answer<'GET', '/health/ready'>['checks']['log']
export type WitnessHealth = LogHealth['witnesses'][number]
export type Pack = Answer<'GET', '/v1/orgs/{org_id}/evidence-pack/{pack_id}'>

const LOG_REFETCH_MS = 5_000
const PACK_REFETCH_MS = 1_000

export const packsKey = (orgId: string) => ['evidence-packs', orgId] as const

export function useLogHealth() {
  return useQuery({
    queryKey: ['log-health'],
    queryFn: async () => (await api.request('GET', '/health/ready')).checks.log,
    refetchInterval: LOG_REFETCH_MS,
  })
}

/** Asks again while a pack is built. */
export function usePacks(orgId: string) {
  return useQuery({
    queryKey: packsKey(orgId),
    queryFn: async () => {
      const params = { org_id: orgId }
      return (await api.request('GET', '/v1/orgs/{org_id}/evidence-pack', { params })).packs
    },
    refetchInterval: ({ state }) => (state.data?.some(isInProgress) ? PACK_REFETCH_MS : false),
  })
}

export function isInProgress({ status }: Pack): boolean {
  return status === 'queued' || status === 'running'
}

/** The ZIP file. */
export async function fetchPack(orgId: string, packId: string): Promise<Blob> {
  const answer = await api.raw('GET', '/v1/orgs/{org_id}/evidence-pack/{pack_id}/download', {
    params: { org_id: orgId, pack_id: packId },
    headers: { accept: 'application/zip' },
  })
  if (!answer.ok) throw new Error(`The download failed with status ${answer.status}.`)
  return answer.blob()
}
