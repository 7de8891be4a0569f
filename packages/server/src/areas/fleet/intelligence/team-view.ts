import type { FaultLine } from '@touchstone/protocol/intelligence'
import type { Analysis } from './item.ts'
import { plainName, plainText, truncate } from './plain-text.ts'

/** Limits of the document (spec: fleet §5.4). Fault lines are sorted by severity, so the least severe are omitted. */
const LINES_MAX = 40
const CAPABILITIES_MAX = 20
export const TEXT_CHARACTERS_MAX = 500

/**
 * The document about a team that a model receives, and the aliases to read its reply with. The
 * model may run on a third party's machine, so agents and lines have aliases, and the only texts of
 * agents in it are names.
 */
export type TeamView = {
  document: object
  /** Agent ids and fault lines by alias. */
  agents: ReadonlyMap<string, string>
  lines: ReadonlyMap<string, FaultLine>
  /** Aliases by agent id and fault line id. */
  aliasOf: ReadonlyMap<string, string>
}

export function viewTeam(analysis: Analysis): TeamView {
  const { agentIds, agentsWithoutCard, fleetScoreE4 } = analysis
  const shown = analysis.lines.slice(0, LINES_MAX)
  const agents = new Map(agentIds.map((id, at) => [`A${at + 1}`, id]))
  const lines = new Map(shown.map((line, at) => [`F${at + 1}`, line]))
  const aliasOf = new Map([
    ...[...agents].map(([alias, id]) => [id, alias] as const),
    ...[...lines].map(([alias, { id }]) => [id, alias] as const),
  ])
  const aliases = (ids: readonly string[]) => ids.flatMap((id) => aliasOf.get(id) ?? [])
  return {
    agents,
    lines,
    aliasOf,
    document: {
      team: {
        members: agentIds.length + agentsWithoutCard.length,
        members_with_card: agentIds.length,
        fleet_score: fleetScoreE4 / 10_000,
      },
      agents: [...agents.keys()],
      fault_lines: [...lines].map(([alias, line]) => ({
        id: alias,
        value: plainName(line.value),
        classification: line.classification,
        severity: line.severity,
        impact_score: line.impactE4 / 10_000,
        agents_declaring: aliases(line.declaring),
        agents_missing: aliases(line.missing),
        agents_conflicting: aliases(line.conflicting),
        capabilities: line.affectsCapabilities.slice(0, CAPABILITIES_MAX).map(plainName),
        capabilities_omitted: Math.max(0, line.affectsCapabilities.length - CAPABILITIES_MAX),
      })),
      fault_lines_omitted: analysis.lines.length - shown.length,
    },
  }
}

const ALIAS = /\b[AF]\d{1,2}\b/g

/** Sanitises a text of the model and resolves its aliases to names. */
export function fromModel(text: string, { agents, lines }: TeamView): string {
  const named = plainText(text).replace(ALIAS, (alias) => {
    const line = lines.get(alias)
    return line === undefined ? (agents.get(alias) ?? alias) : `"${line.value}"`
  })
  return truncate(named, TEXT_CHARACTERS_MAX)
}
