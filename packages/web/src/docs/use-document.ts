import { useQuery } from '@tanstack/react-query'
import { loadDocument } from './document-files.ts'

/** A document never changes while the page is open. */
export function useDocument(id: string) {
  return useQuery({
    queryKey: ['document', id],
    queryFn: () => loadDocument(id),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
