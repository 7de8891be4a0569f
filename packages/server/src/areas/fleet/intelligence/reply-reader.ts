import { createShape, type Shape } from '@touchstone/protocol/base'
import { plainText } from './plain-text.ts'
import { fromModel, TEXT_CHARACTERS_MAX, type TeamView } from './team-view.ts'

export type ReplyOutcome<Value> =
  | { ok: true; value: Value }
  /** `policy`: the form was right, and what it adds up to is no policy. */
  | { ok: false; kind: 'reply' | 'policy'; faults: string[] }

/** More would not help a model to do better. */
const FAULTS_MAX = 20

/**
 * Reads what a model said, noting faults and going on with a stand-in, so that one pass finds them
 * all. INVARIANT: paths are of members that are asked for, never of members that the reply made up,
 * because faults are told to the model beside its instructions.
 */
export function createReplyReader(view: TeamView) {
  const shape = createShape()
  return {
    shape,

    faults: (): string[] =>
      shape.errors.slice(0, FAULTS_MAX).map(({ path, message }) => `${nameOf(path)} ${message}`),

    members: (path: string, value: unknown): Members => shape.object(path, value) ?? {},

    /** A sentence of its own. */
    sentence(path: string, value: unknown): string {
      const text = typeof value === 'string' ? plainText(value) : value
      shape.text(path, text, { min: 1, max: TEXT_CHARACTERS_MAX })
      return typeof text === 'string' ? fromModel(text, view) : ''
    },

    /** A text that must stay as it is. */
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

    /** From 0 to 1, in parts of ten thousand. */
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

/** A name nobody was given is a sign of making things up, so the whole reply is refused. */
function readAliases<Named>(shape: Shape, { path, value, of, min }: Aliases<Named>): Named[] {
  const given = [...new Set(shape.array(path, value, { min, max: 1000 }))]
  return given.flatMap((alias) => {
    const named = typeof alias === 'string' ? of.get(alias) : undefined
    if (named !== undefined) return [named]
    shape.fail(path, 'enum', 'must hold only ids that the document has')
    return []
  })
}

/** As the model knows it: `/failure_modes/0/mode` is failure_modes[0].mode. */
function nameOf(path: string): string {
  if (path === '') return 'the reply'
  return path
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')
}

/** A JSON Schema that both protocols accept: every member is required, and there are no others. */
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
