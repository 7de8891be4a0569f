import { Field, Input, Select } from '../../ui/field.tsx'
import type { Team } from './queries.ts'

/** What is told of a team, as it is typed. */
export type TeamDetails = { name: string; description: string; visibility: Team['visibility'] }

export const NEW_TEAM: TeamDetails = { name: '', description: '', visibility: 'private' }

/** As it is sent. */
export const teamBody = ({ name, description, visibility }: TeamDetails) => ({
  name,
  description: description.trim() === '' ? null : description,
  visibility,
})

type TeamFieldsProps = { value: TeamDetails; onChange: (value: TeamDetails) => void }

export function TeamFields({ value, onChange }: TeamFieldsProps) {
  return (
    <>
      <Field label="Name">
        {(control) => (
          <Input
            {...control}
            required
            maxLength={120}
            value={value.name}
            onChange={(event) => onChange({ ...value, name: event.target.value })}
          />
        )}
      </Field>
      <Field label="Description">
        {(control) => (
          <Input
            {...control}
            value={value.description}
            onChange={(event) => onChange({ ...value, description: event.target.value })}
          />
        )}
      </Field>
      <VisibilityField
        value={value.visibility}
        onChange={(visibility) => onChange({ ...value, visibility })}
      />
    </>
  )
}

type VisibilityFieldProps = {
  value: Team['visibility']
  onChange: (value: Team['visibility']) => void
}

const VISIBILITIES = [
  { value: 'private', label: 'Private: your organisation only' },
  { value: 'unlisted', label: 'Unlisted: whoever knows its address' },
  { value: 'public', label: 'Public' },
] as const

function VisibilityField({ value, onChange }: VisibilityFieldProps) {
  return (
    <Field label="Who sees its score">
      {(control) => (
        <Select
          {...control}
          value={value}
          onChange={(event) => {
            const next = VISIBILITIES.find((one) => one.value === event.target.value)
            if (next !== undefined) onChange(next.value)
          }}
        >
          {VISIBILITIES.map((one) => (
            <option key={one.value} value={one.value}>
              {one.label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
