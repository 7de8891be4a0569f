import {
  CATEGORIES,
  type CheckedValue,
  type Concern,
  deriveVerdict,
  rankOf,
  SEVERITIES,
  toEvidence,
  toStorable,
  VERDICTS,
  withoutSecrets,
} from '@touchstone/protocol/analysis'
import type { JudgedAnalysis } from './analyser.ts'
import { withoutCopies } from './copied-text.ts'

/** The schema of a reply. Constant, because text of a tenant in it could act as an instruction. */
export const REPLY_SCHEMA = record({
  reasoning_summary: { type: 'string' },
  concerns: {
    type: 'array',
    items: record({
      category: { type: 'string', enum: CATEGORIES },
      severity: { type: 'string', enum: SEVERITIES },
      description: { type: 'string' },
      evidence: { type: 'string' },
      relevant_card_field: { type: ['string', 'null'] },
      relevant_conscience_value: { type: ['string', 'null'] },
    }),
  },
  conscience_context: record({
    supports: { type: 'array', items: { type: 'string' } },
    considerations: { type: 'array', items: { type: 'string' } },
  }),
  verdict: { type: 'string', enum: VERDICTS },
})

function record(properties: Readonly<Record<string, object>>) {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

export const CONCERNS_MAX = 50
export const DESCRIPTION_CHARACTERS_MAX = 500
export const SUMMARY_CHARACTERS_MAX = 1000
const CONSIDERATIONS_MAX = 20
const CONSIDERATION_CHARACTERS_MAX = 200
const FIELD_CHARACTERS_MAX = 128
/** More would not help the model to correct its reply. */
const FAULTS_MAX = 20

export type ReplyOutcome = { ok: true; judged: JudgedAnalysis } | { ok: false; faults: string[] }

/**
 * Reads a model's reply as an analysis, or lists its faults. Faults never quote the reply, because
 * they are sent to the model beside its instructions. `texts` are the analysed texts, which must not
 * reappear in the attested result.
 */
export function readReply(
  json: unknown,
  values: readonly CheckedValue[],
  texts: readonly string[] = [],
): ReplyOutcome {
  const check = createCheck()
  const toText = createText(withoutCopies(texts))
  const reply = check.record(json, 'the reply')
  const verdict = check.choice(reply['verdict'], VERDICTS, 'verdict')
  const summary = check.text(reply['reasoning_summary'], 'reasoning_summary')
  const given = check.list(reply['concerns'], 'concerns')
  const keys = new Set(values.map((value) => value.key))
  const concerns = given.map((concern, at) => readConcern(check, concern, { at, keys, toText }))
  if (verdict !== 'clear' && given.length === 0) {
    check.fault('concerns must not be empty unless the verdict is clear')
  }
  const context = check.record(reply['conscience_context'], 'conscience_context')
  const supports = readTexts(check, context, 'supports')
  const considerations = readTexts(check, context, 'considerations')
  if (check.faults.length > 0) return { ok: false, faults: check.faults }
  const kept = concerns.sort(byWeight).slice(0, CONCERNS_MAX)
  const judged: JudgedAnalysis = {
    concerns: kept,
    reasoning_summary: toText(summary, SUMMARY_CHARACTERS_MAX),
    conscience_context: {
      values_checked: [...keys],
      conflicts: [...new Set(kept.flatMap((one) => one.relevant_conscience_value ?? []))],
      supports: [...new Set(supports.filter((key) => keys.has(key)))],
      considerations: considerations
        .slice(0, CONSIDERATIONS_MAX)
        .map((one) => toText(one, CONSIDERATION_CHARACTERS_MAX)),
      consultation_depth: keys.size === 0 ? 'surface' : 'standard',
    },
    verdict,
  }
  return { ok: true, judged }
}

/**
 * The most severe first, as the rules order them: the first concern names the violation, and the
 * concerns cut off at the end must not decide the verdict.
 */
function byWeight(one: Concern, other: Concern): number {
  return rankOf(other.severity) - rankOf(one.severity) || verdictRank(other) - verdictRank(one)
}

function verdictRank(concern: Concern): number {
  return VERDICTS.indexOf(deriveVerdict([concern]))
}

type Place = { at: number; keys: ReadonlySet<string>; toText: ToText }

function readConcern(check: Check, value: unknown, { at, keys, toText }: Place): Concern {
  const path = `concerns[${at}]`
  const concern = check.record(value, path)
  const member = (name: string): [unknown, string] => [concern[name], `${path}.${name}`]
  const category = check.choice(concern['category'], CATEGORIES, `${path}.category`)
  const severity = check.choice(concern['severity'], SEVERITIES, `${path}.severity`)
  const description = check.text(...member('description'))
  const evidence = check.text(...member('evidence'))
  const field = check.textOrNull(...member('relevant_card_field'))
  const key = check.textOrNull(...member('relevant_conscience_value'))
  return {
    category,
    severity,
    description: toText(description, DESCRIPTION_CHARACTERS_MAX),
    evidence: toEvidence(redacted(evidence)),
    relevant_card_field: field === null ? null : toText(field, FIELD_CHARACTERS_MAX),
    // Ignore a value that is not in effect.
    relevant_conscience_value: key !== null && keys.has(key) ? key : null,
  }
}

/** These lists decide nothing, so a missing one counts as empty. */
function readTexts(check: Check, context: Members, name: string): string[] {
  const path = `conscience_context.${name}`
  const list = check.list(context[name] ?? [], path)
  return list.map((item, at) => check.text(item, `${path}[${at}]`))
}

type ToText = (text: string, charactersMax: number) => string

/** Removes copies first, because they are not recognised after redaction or truncation. */
function createText(clean: (text: string) => string): ToText {
  return (text, charactersMax) => toStorable(redacted(clean(text)), charactersMax)
}

/** A model may quote over several lines, so everything after a private key's header is removed. */
const AFTER_KEY_HEADER = /(-----BEGIN [A-Z ]*PRIVATE KEY-----).*/s

function redacted(text: string): string {
  return withoutSecrets(text.replace(AFTER_KEY_HEADER, '$1'))
}

type Members = Readonly<Record<string, unknown>>
type Check = ReturnType<typeof createCheck>

/** Readers that record a fault and continue with a placeholder, so that one pass finds all faults. */
function createCheck() {
  const faults: string[] = []
  const fault = (message: string) => {
    if (faults.length < FAULTS_MAX) faults.push(message)
  }
  const text = (value: unknown, path: string): string => {
    if (typeof value === 'string') return value
    fault(`${path} must be a string`)
    return ''
  }
  return {
    faults,
    fault,
    text,
    textOrNull: (value: unknown, path: string): string | null =>
      value === null || value === undefined ? null : text(value, path),
    choice<Choice extends string>(
      value: unknown,
      choices: readonly [Choice, ...Choice[]],
      path: string,
    ): Choice {
      const found = choices.find((choice) => choice === value)
      if (found === undefined) fault(`${path} must be one of ${choices.join(', ')}`)
      return found ?? choices[0]
    },
    list(value: unknown, path: string): unknown[] {
      if (Array.isArray(value)) return value
      fault(`${path} must be a list`)
      return []
    },
    record(value: unknown, path: string): Members {
      if (isMembers(value)) return value
      fault(`${path} must be an object`)
      return {}
    },
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
