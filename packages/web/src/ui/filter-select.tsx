import { Select } from './field.tsx'
import { sentenceCase } from './marks.tsx'

export type FilterSelectProps<Value extends string> = {
  label: string
  /** Label of the first option, which does not filter. */
  all: string
  options: readonly Value[]
  /** Labels that are not just the value in sentence case. */
  labels?: Readonly<Record<Value, string>>
  value: Value | undefined
  onChange: (value: Value | undefined) => void
}

/** A filter for one value of an API enum, or for all of them. */
export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const { label, all, options, labels, value, onChange } = props
  return (
    <Select
      aria-label={label}
      className="sm:max-w-52"
      value={value ?? ''}
      onChange={(event) => onChange(options.find((option) => option === event.target.value))}
    >
      <option value="">{all}</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {labels?.[option] ?? sentenceCase(option)}
        </option>
      ))}
    </Select>
  )
}
