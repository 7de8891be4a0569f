const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** A number in a few characters, such as 1.2K. */
export const formatCompact = (value: number): string => compact.format(value)
