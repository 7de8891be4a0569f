import type { PinnableTool } from '@touchstone/protocol/policy'

export type ToolPin = {
  server: string
  tool: string
  /** Canonical JSON. */
  definition: string
  sha256: string
  pinnedAt: Date
  /** Null for a definition that was pinned when it was first seen. */
  pinnedBy: string | null
  change: ToolChange | null
}

/** A definition that differs from the pinned one, and that nobody has decided about. */
export type ToolChange = { definition: string; sha256: string; seenAt: Date }

/**
 * Splits the tools of a list into groups without duplicate names, to be stored one after the other. A
 * server that lists two definitions under one name makes that tool a changed one, because nobody can
 * tell which of them a client shows to the model. Equal duplicates are one.
 */
export function withoutDuplicates(tools: readonly PinnableTool[]): PinnableTool[][] {
  const firsts = new Map<string, PinnableTool>()
  const others = new Map<string, PinnableTool>()
  for (const tool of tools) {
    const { name } = tool.definition
    const first = firsts.get(name)
    if (first === undefined) firsts.set(name, tool)
    else if (first.sha256 !== tool.sha256) others.set(name, tool)
  }
  return [firsts, others].filter(({ size }) => size > 0).map((group) => [...group.values()])
}

export type Resolution =
  /** The pin that the decision leads to, and whether its definition is the changed one. */
  | { outcome: 'pinned'; pin: ToolPin; isChanged: boolean }
  /** Neither the pinned nor the changed definition has this hash: it has changed meanwhile. */
  | { outcome: 'stale' }

/** The pin after a person decided for one of its definitions. */
export function resolveChange(
  pin: ToolPin,
  { sha256, by, now }: { sha256: string; by: string; now: Date },
): Resolution {
  const { change } = pin
  if (sha256 === change?.sha256) {
    const { definition } = change
    const accepted = { ...pin, definition, sha256, pinnedAt: now, pinnedBy: by, change: null }
    return { outcome: 'pinned', pin: accepted, isChanged: true }
  }
  if (sha256 !== pin.sha256) return { outcome: 'stale' }
  return { outcome: 'pinned', pin: { ...pin, change: null }, isChanged: false }
}
