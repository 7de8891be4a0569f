import { useState } from 'react'
import { readStored, store } from '../../session/browser-storage.ts'
import { useToast } from '../../ui/toast.tsx'
import { readViews, type SavedView } from './saved-views.ts'

/** The organisation's views in this browser, and a way to replace them. */
export function useSavedViews(orgId: string) {
  const key = `touchstone.views.${orgId}`
  const [views, setViews] = useState(() => readViews(readStored(key)))
  const toast = useToast()
  const replace = (next: SavedView[]) => {
    setViews(next)
    if (!store(key, JSON.stringify(next))) {
      toast('This browser cannot store views; they are lost when the page is closed.', 'bad')
    }
  }
  return [views, replace] as const
}
