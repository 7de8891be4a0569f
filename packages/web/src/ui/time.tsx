import { readerDates } from './reader-dates.ts'

const STEPS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const absolute = readerDates({ dateStyle: 'medium', timeStyle: 'short' })

/** A relative time; the tooltip shows the absolute time. */
export function Ago({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <span className="text-ink-faint">never</span>
  const date = new Date(at)
  return (
    <time dateTime={at} title={absolute.format(date)} className="whitespace-nowrap">
      {ago(date, new Date())}
    </time>
  )
}

function ago(date: Date, now: Date): string {
  const seconds = Math.round((date.getTime() - now.getTime()) / 1000)
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size)
  return step === undefined ? 'just now' : relative.format(Math.trunc(seconds / step[1]), step[0])
}

const day = readerDates({ dateStyle: 'medium', timeZone: 'UTC' })

/** Formats a period or deadline as a UTC day. */
export function formatDay(at: string): string {
  return day.format(new Date(at))
}

export function formatDate(at: string): string {
  return absolute.format(new Date(at))
}
