import { useEffect, useState } from 'react'
import { formatDate } from '../../ui/time.tsx'
import { timeLeft } from './time-left.ts'

const TICK_MS = 10_000

/** The time left to answer, counted down while the page is open. */
export function TimeLeft({ until }: { until: string }) {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={until} title={formatDate(until)} className="whitespace-nowrap tabular">
      {timeLeft(until, now)}
    </time>
  )
}
