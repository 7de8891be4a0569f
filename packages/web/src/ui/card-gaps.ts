type Reclassified = { card_gap: number; of: number }

/** How many violations were excused as gaps in the card. */
export function cardGaps({ card_gap: gaps, of }: Reclassified): string {
  if (of === 0) return 'No violations'
  return `${gaps.toLocaleString('en')} of ${of.toLocaleString('en')} ${of === 1 ? 'violation' : 'violations'}`
}
