import type { AlignmentCard } from '../cards/card.ts'

type Values = AlignmentCard['values']

/** On a contextual card, the order of declaration has no meaning. */
export function isUnordered({ hierarchy }: Values): boolean {
  return hierarchy === 'contextual'
}

/** The ranks of the declared values, from 0: by stated priority, then by position. */
export function valueRanks({ declared, definitions = {} }: Values): Map<string, number> {
  const priorityOf = (value: string) =>
    (Object.hasOwn(definitions, value) ? definitions[value]?.priority : undefined) ?? 0
  // Sorting is stable, so values of the same priority stay in the order of the card.
  const ordered = [...new Set(declared)].sort((x, y) => priorityOf(y) - priorityOf(x))
  return new Map(ordered.map((value, rank) => [value, rank]))
}
