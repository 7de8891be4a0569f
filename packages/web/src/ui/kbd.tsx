/** A key of the keyboard. */
export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="rounded border border-line bg-raised px-1.5 py-0.5 font-mono text-ink-soft">
      {children}
    </kbd>
  )
}
