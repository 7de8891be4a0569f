/** A hex string shortened to its ends; the tooltip shows it in full. */
export function Hash({ of }: { of: string }) {
  return (
    <span title={of} className="font-mono text-xs whitespace-nowrap">
      {of.slice(0, 8)}…{of.slice(-6)}
    </span>
  )
}
