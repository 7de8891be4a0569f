import { hasEnoughEvidence } from '@touchstone/protocol/analysis'
import { canonicalJson } from '@touchstone/protocol/base'
import type { TurnSummary } from '@touchstone/protocol/model-wire'
import type { JudgedCall } from './call.ts'
import { storable } from './storable.ts'

/** The largest text of a checkpoint (spec: evidence §4.1). */
const TEXT_MAX = 400_000
const NAME_MAX = 256
/** Strings in the arguments of a recorded call are cut at this length (spec: provenance §2). */
const ARGUMENT_MAX = 200
const ACTIONS_MAX = 100
/** Decisions that one checkpoint can name (spec: provenance §1). */
const DECISIONS_MAX = 50

/** The part of a checkpoint that one turn, or several short ones, contribute. */
export type Evidence = {
  thinking: string
  output: string
  /** One line per call, for turns that say too little to be judged by their text alone. */
  lines: readonly string[]
  actions: readonly string[]
  decisionIds: readonly string[]
  extractionMethod: 'native_thinking' | 'reasoning_content' | undefined
  isThinkingWithheld: boolean
  isUngoverned: boolean
  model: string | undefined
  /** A refused or escalated call, which is recorded at once. */
  isUrgent: boolean
}

export function evidenceOf(
  summary: TurnSummary,
  judged: readonly JudgedCall[],
  isUngoverned: boolean,
): Evidence {
  const tools = [
    ...summary.calls.map(({ name }) => name),
    ...summary.serverTools.map((t) => t.name),
  ]
  return {
    thinking: summary.thinking,
    output: summary.outputText,
    lines: judged.map(lineOf),
    actions: tools,
    decisionIds: judged.flatMap(({ decisionId }) => decisionId ?? []),
    extractionMethod: methodOf(summary),
    isThinkingWithheld: summary.isThinkingWithheld,
    isUngoverned,
    model: summary.model,
    isUrgent: isUngoverned || judged.some(({ isLetThrough }) => !isLetThrough),
  }
}

function methodOf({ thinkingKind }: TurnSummary): Evidence['extractionMethod'] {
  if (thinkingKind === 'none') return undefined
  return thinkingKind === 'native' ? 'native_thinking' : 'reasoning_content'
}

/** Later evidence of the same session is added to earlier evidence that was too little to be sent. */
export function joinEvidence(earlier: Evidence, later: Evidence): Evidence {
  return {
    thinking: joined(earlier.thinking, later.thinking),
    output: joined(earlier.output, later.output),
    lines: [...earlier.lines, ...later.lines],
    actions: [...earlier.actions, ...later.actions],
    decisionIds: [...earlier.decisionIds, ...later.decisionIds],
    extractionMethod: later.extractionMethod ?? earlier.extractionMethod,
    isThinkingWithheld: earlier.isThinkingWithheld || later.isThinkingWithheld,
    isUngoverned: earlier.isUngoverned || later.isUngoverned,
    model: later.model ?? earlier.model,
    isUrgent: earlier.isUrgent || later.isUrgent,
  }
}

function joined(before: string, after: string): string {
  return before === '' || after === '' ? before + after : `${before}\n${after}`
}

/** Whether the evidence is sent now (spec: provenance §2). */
export function isDue(evidence: Evidence): boolean {
  return (
    evidence.isUrgent ||
    evidence.decisionIds.length >= DECISIONS_MAX ||
    hasEnoughEvidence(presentTexts(textsOf(evidence)))
  )
}

/** The texts of the checkpoint: the calls count as output where the words alone say too little. */
export function textsOf(evidence: Evidence) {
  const { thinking, output, lines } = evidence
  const alone = { thinking: storable(thinking, TEXT_MAX), output: storable(output, TEXT_MAX) }
  if (lines.length === 0 || hasEnoughEvidence(presentTexts(alone))) return alone
  return { ...alone, output: storable(joined(output, lines.join('\n')), TEXT_MAX) }
}

export const actionsOf = ({ actions }: Evidence): string[] =>
  actions.slice(0, ACTIONS_MAX).map((name) => storable(name, NAME_MAX))

export const decisionsOf = ({ decisionIds }: Evidence): string[] =>
  [...new Set(decisionIds)].slice(0, DECISIONS_MAX)

function presentTexts({ thinking, output }: { thinking: string; output: string }) {
  return {
    ...(thinking === '' ? {} : { thinking }),
    ...(output === '' ? {} : { output }),
  }
}

function lineOf({ tool, arguments: args = {} }: JudgedCall): string {
  return `${tool}(${canonicalJson(cut(args))})`
}

function cut(value: unknown): unknown {
  if (typeof value === 'string') return storable(value, ARGUMENT_MAX)
  if (Array.isArray(value)) return value.map(cut)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, one]) => [storable(name, NAME_MAX), cut(one)])
  return Object.fromEntries(members)
}
