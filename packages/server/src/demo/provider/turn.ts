/** One turn of the mock model, independent of the wire. */
export type Turn = {
  parts: readonly TurnPart[]
  /** Distinguishes answers and tool calls from those of other turns. */
  id?: string
  /** By default the model that the request names. */
  model?: string
  usage?: Usage
}

export type TurnPart =
  | { thinking: string; signature?: string }
  /** Thinking that the provider withholds. */
  | { encryptedThinking: string }
  | { text: string }
  | ToolCall
  /** A search that the provider makes itself, with its result. */
  | { search: string; finds: string }

type ToolCall = {
  tool: string
  input: unknown
  id?: string
  /** Sent in place of the input, for arguments that are not JSON. */
  rawInput?: string
  /** The input is a text for a custom tool, which only the Responses API has. */
  custom?: true
}

/** The numbers that providers report; cached tokens are part of the input. */
export type Usage = { input: number; cached: number; output: number; thinking: number }

const USAGE: Usage = { input: 120, cached: 40, output: 36, thinking: 12 }

/** The same turn with every default filled in. */
export type FullTurn = Required<Turn>

export function withDefaults(turn: Turn, model: string): FullTurn {
  return { id: 'mock1', model, usage: USAGE, ...turn }
}

export function inputText(call: ToolCall): string {
  if (call.custom) return String(call.input)
  return call.rawInput ?? JSON.stringify(call.input)
}

/** An API of a provider: the forms in which it sends a turn. */
export type Wire = {
  /** The answer without a stream. */
  body(turn: FullTurn): unknown
  /** The stream as complete events, without the framing of Gemini's JSON array. */
  events(turn: FullTurn): string[]
  /** An error as this provider reports it with a status. */
  error(status: number, message: string): unknown
  /** The event with which this provider ends a stream that failed. */
  errorEvent(message: string, turn: FullTurn): string
  /** An event without content, if the wire has one, or a comment. */
  ping: string
}

/** 2026-01-01, so that the same turn is always the same bytes. */
export const CREATED_AT_S = 1_767_225_600

const PIECE_LENGTH = 12

/** Cuts a text as models emit it, a few characters at a time and never within a surrogate pair. */
export function pieces(text: string): string[] {
  const characters = [...text]
  const count = Math.ceil(characters.length / PIECE_LENGTH)
  return Array.from({ length: count }, (_, n) =>
    characters.slice(n * PIECE_LENGTH, (n + 1) * PIECE_LENGTH).join(''),
  )
}

/** A server-sent event; without a name only its data. */
export function sse(data: unknown, name?: string): string {
  const head = name === undefined ? '' : `event: ${name}\n`
  return `${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}
