import { Field, Select } from '../../ui/field.tsx'
import type { Option } from './risk-options.ts'

export type OptionSelectProps<Value extends string> = {
  label: string
  hint?: string
  value: Value
  options: readonly Option<Value>[]
  onChange: (value: Value) => void
}

/** A labelled select of named values. */
export function OptionSelect<Value extends string>(props: OptionSelectProps<Value>) {
  const { label, hint, value, options, onChange } = props
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {(control) => (
        <Select
          {...control}
          value={value}
          onChange={(event) => {
            const next = options.find((option) => option.value === event.target.value)
            if (next !== undefined) onChange(next.value)
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
