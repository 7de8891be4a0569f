import { useQuery } from '@tanstack/react-query'
import { loadDocument } from '../../docs/document-files.ts'
import { slugOf } from './guides.ts'

const INDEX = 'README'

/** The index has no slug, so it is not one of the pages. */
export const useGuide = (slug: string) => useFile(slugOf(`${slug}.md`) ?? '')

export const useGuideIndex = () => useFile(INDEX)

function useFile(name: string) {
  return useQuery({
    queryKey: ['connect guide', name],
    queryFn: () => loadDocument(`connect/${name}`),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
