/** Long hex, its ends shown, the whole on demand. */
export function Hash({ of }: { of: string }) {
  return (
    <span title={of} className="font-mono text-xs whitespace-nowrap">
      {of.slice(0, 8)}…{of.slice(-6)}
    </span>
  )
}
