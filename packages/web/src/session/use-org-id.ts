import { useParams } from '@tanstack/react-router'

/** The organisation id from the URL. */
export function useOrgId(): string {
  return useParams({ from: '/o/$orgId' }).orgId
}
