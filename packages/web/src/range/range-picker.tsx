import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { Popover } from '../ui/popover.tsx'
import { Segments } from '../ui/segments.tsx'
import { fromLocalInput, toLocalInput } from './local-input.ts'
import {
  boundsOf,
  labelOf,
  PRESETS,
  readTimeRange,
  SHORT_LABELS,
  type TimeRange,
  writeTimeRange,
} from './time-range.ts'
import { useSetTimeRange, useTimeRange } from './use-time-range.ts'

type RangePickerProps = {
  /** The range of the page while the reader has not chosen one; undefined if that is all time. */
  usual: TimeRange | undefined
}

const CHOICES = { ...SHORT_LABELS, all: 'All' }

/** Chooses the time range that the pages of the console share. */
export function RangePicker({ usual }: RangePickerProps) {
  const range = useTimeRange() ?? usual
  const set = useSetTimeRange()
  const choices = usual === undefined ? (['all', ...PRESETS] as const) : PRESETS
  const isCustom = typeof range === 'object'
  return (
    <div className="relative flex flex-wrap items-center gap-2">
      <Segments
        label="Time range"
        value={isCustom ? 'custom' : (range ?? 'all')}
        options={choices.map((value) => ({ value, label: CHOICES[value] }))}
        onChange={(value) => set(PRESETS.find((preset) => preset === value))}
      />
      <Popover label={isCustom ? labelOf(range) : 'Custom'} align="end">
        {(close) => (
          <CustomRange
            range={range ?? '24h'}
            onSet={(next) => {
              set(next)
              close()
            }}
          />
        )}
      </Popover>
    </div>
  )
}

type CustomRangeProps = { range: TimeRange; onSet: (range: TimeRange) => void }

function CustomRange({ range, onSet }: CustomRangeProps) {
  const [start] = useState(() => boundsOf(range, new Date()))
  const [from, setFrom] = useState(toLocalInput(start.from.toISOString()))
  const [to, setTo] = useState(toLocalInput(start.to.toISOString()))
  const [error, setError] = useState<string>()
  const apply = (event: FormEvent) => {
    event.preventDefault()
    const bounds = { from: fromLocalInput(from) ?? '', to: fromLocalInput(to) ?? '' }
    if (readTimeRange(writeTimeRange(bounds)) === undefined) {
      setError('From must be before Until, and the range at most 400 days.')
    } else onSet(bounds)
  }
  return (
    <form onSubmit={apply} className="grid gap-3">
      <Field label="From">
        {(control) => (
          <Input
            {...control}
            type="datetime-local"
            required
            value={from}
            onChange={(event) => setFrom(event.target.value)}
          />
        )}
      </Field>
      <Field label="Until" error={error}>
        {(control) => (
          <Input
            {...control}
            type="datetime-local"
            required
            value={to}
            onChange={(event) => setTo(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" tone="primary">
        Apply
      </Button>
    </form>
  )
}
