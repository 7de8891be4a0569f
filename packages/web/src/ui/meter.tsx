/** A score as a bar; the number stands beside it, so the bar itself says nothing aloud. */
export function Meter({
  score,
  colour = 'var(--accent)',
}: {
  score: number
  colour?: string | undefined
}) {
  return (
    <div aria-hidden="true" className="h-2 w-full overflow-hidden rounded-full bg-sunken">
      <div
        className="h-full rounded-full"
        style={{ width: `${score / 10}%`, backgroundColor: colour }}
      />
    </div>
  )
}
