type LiveToggleProps = { isOn: boolean; onChange: (isOn: boolean) => void }

/** Switches new decisions on and off, so that the list does not move while it is being read. */
export function LiveToggle({ isOn, onChange }: LiveToggleProps) {
  return (
    <label className="flex min-h-9 cursor-pointer items-center gap-2.5 text-sm">
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
        className="peer sr-only"
      />
      <span
        aria-hidden="true"
        className="inline-flex h-5 w-9 items-center rounded-full bg-line-strong p-0.5 transition-colors peer-checked:bg-good peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-focus [&>span]:transition-transform peer-checked:[&>span]:translate-x-4"
      >
        <span className="size-4 rounded-full bg-raised" />
      </span>
      Live updates
    </label>
  )
}
