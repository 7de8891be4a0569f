export const GROUPS = ['Open by id', 'Pages', 'Agents', 'Teams', 'Policies', 'Actions'] as const
export type Group = (typeof GROUPS)[number]

/** One line of the command palette. */
export type Entry = {
  /** Unique among all entries. */
  key: string
  group: Group
  label: string
  detail?: string
  /** Found by the search, but not shown. */
  words?: string
  /** The address to open, or what to do. */
  act: string | (() => void)
}
