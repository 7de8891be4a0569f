import { useId } from 'react'

export type Segment<Value extends string> = { value: Value; label: string }

export type SegmentsProps<Value extends string> = {
  label: string
  value: Value
  options: readonly Segment<Value>[]
  onChange: (value: Value) => void
}

/** A segmented control. Built on radio buttons, so the arrow keys move between options. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const name = useId()
  return (
    <fieldset className="inline-flex max-w-full flex-wrap gap-0.5 rounded-md bg-sunken p-0.5">
      <legend className="sr-only">{props.label}</legend>
      {props.options.map(({ value, label }) => (
        <label
          key={value}
          className="cursor-pointer rounded px-2.5 py-1 text-sm text-ink-soft has-checked:bg-raised has-checked:font-medium has-checked:text-ink has-checked:shadow-soft has-focus-visible:outline-2 has-focus-visible:outline-focus"
        >
          <input
            type="radio"
            name={name}
            value={value}
            checked={props.value === value}
            onChange={() => props.onChange(value)}
            className="sr-only"
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
