import { useDocument } from '../../docs/use-document.ts'
import { slugOf } from './guides.ts'

const INDEX = 'README'

/** The index has no slug, so it is not one of the pages. */
export const useGuide = (slug: string) => useDocument(`connect/${slugOf(`${slug}.md`) ?? ''}`)

export const useGuideIndex = () => useDocument(`connect/${INDEX}`)
