import { createShape, type Shape } from '@touchstone/protocol/base'
import { plainText } from './plain-text.ts'
import { fromModel, TEXT_CHARACTERS_MAX, type TeamView } from './team-view.ts'

export type ReplyOutcome<Value> =
  | { ok: true; value: Value }
  /** `policy`: the reply was well-formed, but the merged policy is invalid. */
  | { ok: false; kind: 'reply' | 'policy'; faults: string[] }

/** More faults do not help a model to repair its reply. */
const FAULTS_MAX = 20

/**
 * Reads the reply of a model. Collects faults and continues with placeholder values, so that one
 * pass finds all of them. INVARIANT: fault paths name expected members only, never members that the
 * reply invented, because faults are sent to the model next to its instructions.
 */
export function createReplyReader(view: TeamView) {
  const shape = createShape()
  return {
    shape,

    faults: (): string[] =>
      shape.errors.slice(0, FAULTS_MAX).map(({ path, message }) => `${nameOf(path)} ${message}`),

    members: (path: string, value: unknown): Members => shape.object(path, value) ?? {},

    /** Free text, sanitised, with aliases resolved to names. */
    sentence(path: string, value: unknown): string {
      const text = typeof value === 'string' ? plainText(value) : value
      shape.text(path, text, { min: 1, max: TEXT_CHARACTERS_MAX })
      return typeof text === 'string' ? fromModel(text, view) : ''
    },

    /** A text that must stay unchanged. */
    text(path: string, value: unknown): string {
      shape.text(path, value, { min: 1 })
      return typeof value === 'string' ? value : ''
    },

    choice<Choice extends string>(
      path: string,
      value: unknown,
      choices: readonly [Choice, ...Choice[]],
    ): Choice {
      shape.oneOf(path, value, choices)
      return choices.find((choice) => choice === value) ?? choices[0]
    },

    flag(path: string, value: unknown): boolean {
      shape.boolean(path, value)
      return value === true
    },

    /** A number from 0 to 1, in ten-thousandths. */
    share(path: string, value: unknown): number {
      shape.number(path, value, { min: 0, max: 1 })
      return typeof value === 'number' ? Math.floor(value * 10_000 + 0.5) : 0
    },

    list: (path: string, value: unknown, range: { min?: number; max: number }) =>
      shape.array(path, value, range),

    agentIds: (path: string, value: unknown): string[] =>
      readAliases(shape, { path, value, of: view.agents, min: 0 }),

    lineIds: (path: string, value: unknown, min: number): string[] =>
      readAliases(shape, { path, value, of: view.lines, min }).map(({ id }) => id),
  }
}

export type ReplyReader = ReturnType<typeof createReplyReader>

type Members = Readonly<Record<string, unknown>>

type Aliases<Named> = {
  path: string
  value: unknown
  of: ReadonlyMap<string, Named>
  min: number
}

/** An unknown alias indicates a hallucination, so the whole reply is rejected. */
function readAliases<Named>(shape: Shape, { path, value, of, min }: Aliases<Named>): Named[] {
  const given = [...new Set(shape.array(path, value, { min, max: 1000 }))]
  return given.flatMap((alias) => {
    const named = typeof alias === 'string' ? of.get(alias) : undefined
    if (named !== undefined) return [named]
    shape.fail(path, 'enum', 'must hold only ids that the document has')
    return []
  })
}

/** In the notation of the prompt: `/failure_modes/0/mode` becomes failure_modes[0].mode. */
function nameOf(path: string): string {
  if (path === '') return 'the reply'
  return path
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')
}

/** A JSON Schema that both protocols accept: all members required, no additional ones. */
export function record(properties: Readonly<Record<string, object>>) {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

export function listOf(items: object) {
  return { type: 'array', items }
}

export const TEXT = { type: 'string' }
export const NUMBER = { type: 'number' }

export function oneOf(choices: readonly string[]) {
  return { type: 'string', enum: choices }
}
