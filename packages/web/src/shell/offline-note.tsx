import { useOnline } from '../ui/use-online.ts'

/** Says that the page may be outdated; it updates by itself once the network is back. */
export function OfflineNote() {
  const isOnline = useOnline()
  return (
    <div role="status">
      {isOnline ? null : (
        <p className="border-b border-line bg-warn-wash px-4 py-2 text-center text-sm text-warn">
          You are offline. What you see may be outdated, and changes cannot be saved.
        </p>
      )}
    </div>
  )
}
