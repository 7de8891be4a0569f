export type ChangeText = { text: string; direction: 'up' | 'down' | 'same' }

/** How a number compares with that of the period before. Undefined if there is nothing to compare. */
export function changeOf(now: number, before: number): ChangeText | undefined {
  if (before === 0) return now === 0 ? undefined : { text: 'none before', direction: 'up' }
  const percent = Math.round(((now - before) / before) * 100)
  if (percent === 0) return { text: 'no change', direction: 'same' }
  if (percent >= 1000) return { text: `×${Math.round(now / before)}`, direction: 'up' }
  return percent > 0
    ? { text: `+${percent}%`, direction: 'up' }
    : { text: `−${-percent}%`, direction: 'down' }
}
