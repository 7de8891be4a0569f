import { Field, Input, Select } from '../../ui/field.tsx'
import type { Team } from './queries.ts'

/** The editable details of a team, as form state. */
export type TeamDetails = { name: string; description: string; visibility: Team['visibility'] }

export const NEW_TEAM: TeamDetails = { name: '', description: '', visibility: 'private' }

/** Converts form state to the request body. */
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
  { value: 'private', label: 'Private: only your organisation' },
  { value: 'unlisted', label: 'Unlisted: anyone with the link' },
  { value: 'public', label: 'Public: everyone' },
] as const

function VisibilityField({ value, onChange }: VisibilityFieldProps) {
  return (
    <Field label="Score visibility">
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
