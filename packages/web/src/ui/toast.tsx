import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { classNames } from './class-names.ts'

type Toast = { id: number; text: string; tone: 'good' | 'bad' }

const SHOWN_MS = 6000

const ToastContext = createContext<(text: string, tone?: Toast['tone']) => void>(() => undefined)

/** Returns a function that shows a short-lived message about a success or a failure. */
export const useToast = () => useContext(ToastContext)

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([])
  const show = useCallback((text: string, tone: Toast['tone'] = 'good') => {
    const id = performance.now()
    setToasts((all) => [...all.slice(-3), { id, text, tone }])
    setTimeout(() => setToasts((all) => all.filter((toast) => toast.id !== id)), SHOWN_MS)
  }, [])
  return (
    <ToastContext value={show}>
      {children}
      <div
        aria-live="polite"
        className="fixed right-4 bottom-4 z-50 grid max-w-[min(26rem,calc(100vw-2rem))] gap-2"
      >
        {toasts.map((toast) => (
          <p
            key={toast.id}
            className={classNames(
              'rounded-md border bg-raised px-4 py-2.5 text-sm shadow-soft',
              toast.tone === 'bad' ? 'border-bad text-bad' : 'border-line',
            )}
          >
            {toast.text}
          </p>
        ))}
      </div>
    </ToastContext>
  )
}
