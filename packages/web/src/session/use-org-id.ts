import { useParams } from '@tanstack/react-router'

/** The organisation whose pages these are. */
export function useOrgId(): string {
  return useParams({ from: '/o/$orgId' }).orgId
}
