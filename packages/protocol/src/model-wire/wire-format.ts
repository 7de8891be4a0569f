/**
 * The interface of model wires: how the gateway reads and rewrites what a model provider and its
 * client say to each other (spec: model-gateway §1). There is one WireFormat per API
 * of a provider. All of it is pure: bytes in, bytes out, no I/O, clock or randomness.
 */

export type WireName = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini'

export type WireFormat = {
  name: WireName
  /** Undefined if the body is not a JSON object; such a request is the provider's to refuse. */
  readRequest(body: Uint8Array, target: RequestTarget): RequestReading | undefined
  /**
   * The body with one text block appended to the last user message, after its tool results and its
   * last cache breakpoint. All other bytes stay as they are. Undefined if the request has no such
   * message, for example if it ends with one of the assistant; the nudge then waits for the next.
   */
  appendNudge(body: Uint8Array, text: string): Uint8Array | undefined
  /**
   * The body with an output for every call that we refused, which the provider still awaits because
   * it keeps the conversation. Calls that have an output in the request are skipped. Undefined if
   * nothing is added: always for wires other than openai-responses, and for requests that continue
   * neither a response nor a conversation.
   */
  addRefusedOutputs(body: Uint8Array, refused: readonly RefusedOutput[]): Uint8Array | undefined
  /** How to read a successful answer. */
  answerFormat(answer: { contentType: string | undefined; isStreamAsked: boolean }): AnswerFormat
  createStream(options?: StreamOptions): AnswerStream
  /**
   * Undefined if the body is not a JSON object, such as a page of HTML. Pass such a body through
   * createStream if a stream was asked, because clients then read events whatever the headers say.
   */
  readAnswer(body: Uint8Array): WholeAnswer | undefined
  /** An error of ours as a whole answer in the provider's shape. */
  errorAnswer(error: { status: number; message: string; target?: RequestTarget }): MadeAnswer
  /** A made-up turn of the assistant that says the message and ends; streamed if format says so. */
  refusalTurn(message: string, turn: RefusalTurn): MadeAnswer
}

/** Path below the provider's part of the base URL. Gemini names model and method in it. */
export type RequestTarget = {
  /** Without query, for example `v1beta/models/gemini-2.5-pro:streamGenerateContent`. */
  path: string
  /** Without question mark, for example `alt=sse`. */
  query?: string
}

export type RequestReading = {
  model: string | undefined
  isStreamAsked: boolean
  /** Only with stream asked; json_array is Gemini's stream without `alt=sse`. */
  streamFormat: StreamFormat | undefined
  /** The client's own session, by the first of its fields that is set. */
  session: { field: SessionField; value: string } | undefined
  /** The text of the first user message, part of the hash that is the last resort for a session. */
  firstUserText: string
  declaredTools: readonly DeclaredTool[]
  /** In the order of the request. Clients send the whole history, so most were read before. */
  toolResults: readonly ToolResult[]
  /** Responses: the conversation is kept by the provider and this request continues it. */
  previousResponseId: string | undefined
  conversation: string | undefined
  /** Responses: the answer is fetched later, by a route that nobody reads. */
  isBackground: boolean
}

export type SessionField =
  | 'metadata.user_id'
  | 'metadata.session_id'
  | 'prompt_cache_key'
  | 'previous_response_id'
  | 'cachedContent'

export type DeclaredTool = {
  name: string
  /** Executed by the provider: recorded, never decided. */
  isServerSide: boolean
}

export type ToolResult = {
  /** Undefined for a Gemini functionResponse and a legacy function message, which have a name. */
  callId: string | undefined
  name: string | undefined
  /** Whether the client says that the call failed. Chat completions cannot say it. */
  isFailed: boolean
}

export type RefusedOutput = {
  callId: string
  /** With the name, decides the type of the output; both as in ToolCall. */
  kind: CallKind
  name: string
  text: string
}

export type AnswerFormat = StreamFormat | 'json'
export type StreamFormat = 'sse' | 'json_array'

export type StreamOptions = {
  /** Default sse. */
  format?: StreamFormat
  /** False for mode observe: every byte is forwarded at once, calls are reported for the record. */
  isHolding?: boolean
  /** Bytes of one event that has not ended; more is the fault event_too_large. Default 8 MiB. */
  eventBytesMax?: number
  /**
   * Bytes held for calls, and of all arguments of the turn; more of either is the fault
   * held_too_large. Without holding, nothing more is read. Default 32 MiB.
   */
  heldBytesMax?: number
}

/**
 * Reads one streamed answer. Bytes leave in the order in which they came: from the first byte of a
 * call on everything waits until that call is settled, because an answer of which nothing is refused
 * must be the provider's byte for byte. Only whole events leave, so between two results of any method
 * the client is always between two events.
 *
 * INVARIANT: concatenated, the bytes that leave do not depend on how the input was cut.
 */
export type AnswerStream = {
  /**
   * Reads the next bytes. May be called while calls are unsettled; they queue up to heldBytesMax.
   * The reader keeps references to parts of the chunk, so the caller must not reuse its memory.
   */
  push(chunk: Uint8Array): StreamStep
  /** The provider closed the stream. Also has a step, because the last event may lack its end. */
  end(): StreamStep
  /** Every call of a step needs a verdict, in any order and any number of calls to settle. */
  settle(verdicts: readonly Verdict[]): readonly Uint8Array[]
  /**
   * Fail open: releases all held bytes as they came, unsettled and partly received calls included.
   * From then on everything is forwarded at once, as with isHolding false.
   */
  abandon(): readonly Uint8Array[]
  /**
   * Fail closed: drops all held bytes and ends the stream with the provider's error event. Further
   * input is ignored.
   */
  fail(message: string): readonly Uint8Array[]
  /** A ping or comment that clients skip. Valid after any result, as no partial event ever leaves. */
  keepAlive(): Uint8Array
  /** The turn up to here, held events included. Cheap enough for every settlement. */
  summary(): TurnSummary
  /** Bytes held now, the start of an unfinished event included. */
  heldBytes(): number
}

export type StreamStep = {
  /** To send now, in this order; parts of the input, not copies, wherever nothing changed. */
  forward: readonly Uint8Array[]
  /** Calls that became complete, in the order of the stream; held until settled, if holding. */
  decide: readonly ToolCall[]
  /**
   * The stream cannot continue as it is; call fail or abandon. Reported once. After truncated_call
   * neither is needed to be safe: the part of the call was dropped and `forward` has the rest.
   */
  fault: StreamFault | undefined
}

/**
 * event_too_large, held_too_large: a bound of StreamOptions. Nothing is forwarded until fail or
 * abandon, and further input is ignored until then. The same holds for unreadable_event: not JSON, or
 * nested too deeply, so that a client may find a call in it and we cannot.
 * truncated_call: the stream ended, or reported an error, in the middle of a call or an event. What had
 * been held of it was dropped. After an error event of the provider nothing need be added.
 */
export type StreamFault =
  | { kind: 'event_too_large' | 'held_too_large' | 'unreadable_event' }
  | { kind: 'truncated_call'; hasProviderError: boolean }

/**
 * function: arguments in JSON. custom: free text, given as `{ input }`. builtin: an item type of the
 * Responses API that the client executes, such as shell_call, named without `_call`. approval: the
 * provider wants to call a tool of a remote MCP server and asks the client first.
 */
export type CallKind = 'function' | 'custom' | 'builtin' | 'approval'

export type ToolCall = {
  /** 1 for the first call of the turn. The key of verdicts, because call ids may repeat. */
  n: number
  /** Undefined where the wire has none: Gemini without ids, a legacy function_call. */
  callId: string | undefined
  name: string
  kind: CallKind
  arguments: CallArguments
  /** Chat completions and Gemini answer with several choices or candidates. */
  choice: number
}

export type CallArguments =
  | { isReadable: true; text: string; value: unknown; bytes: number }
  /**
   * Not strict JSON (duplicate keys, numbers beyond a double), over ARGUMENT_BYTES_MAX, streamed in fragments that we do not assemble (Gemini), or
   * different in two events of the answer, so that clients would execute different calls.
   */
  | {
      isReadable: false
      reason: 'not_json' | 'too_large' | 'fragments' | 'inconsistent' | 'ambiguous'
      /** Cut at ARGUMENT_BYTES_MAX. */
      text: string
      bytes: number
    }

/** spec: model-gateway §3.4. */
export const ARGUMENT_BYTES_MAX = 1024 * 1024

export type Verdict =
  | { n: number; isReleased: true }
  /** The call is replaced by this text, see blockedText. */
  | { n: number; isReleased: false; text: string }

/** The text that replaces a refused call (spec: model-gateway §3.4). */
export function blockedText(call: { tool: string; message: string; decisionId: string }): string {
  return `Touchstone blocked ${call.tool}: ${call.message} (${call.decisionId})`
}

export type WholeAnswer = {
  calls: readonly ToolCall[]
  summary: TurnSummary
  /** The body itself if every call is released. Every call needs a verdict. */
  rewrite(verdicts: readonly Verdict[]): Uint8Array
}

export type TurnSummary = {
  /** As the answer names it. */
  model: string | undefined
  /** The provider's id of the answer, such as a previous_response_id of the next request. */
  answerId: string | undefined
  /** Blocks joined by a line feed; empty if kind is none. */
  thinking: string
  /** none also if all of it was withheld. */
  thinkingKind: 'native' | 'reasoning_summary' | 'none'
  /** Redacted, encrypted or counted in the usage without a text. */
  isThinkingWithheld: boolean
  /** Text of the assistant as the provider sent it, blocks joined by a line feed. */
  outputText: string
  /** Whether thinking or output was longer than the 8 Mi characters that are kept of each. */
  isTextCut: boolean
  /** Complete calls asked for, refused ones included. */
  calls: readonly ToolCall[]
  /** Executed by the provider, in order: web search, code execution, remote MCP. */
  serverTools: readonly { name: string; callId: string | undefined }[]
  usage: TokenUsage | undefined
  end: TurnEnd
}

export type TokenUsage = {
  /** Cached ones included, on every wire. */
  inputTokens: number
  cachedTokens: number
  /** Reasoning included. */
  outputTokens: number
}

export type TurnEnd =
  /** The provider finished; its reason, such as end_turn, tool_calls, completed or STOP. */
  | { kind: 'finished'; reason: string }
  /** The provider reported an error in the stream or in place of an answer. */
  | { kind: 'failed'; message: string }
  /** No end was seen, yet or at all. */
  | { kind: 'open' }

export type MadeAnswer = {
  status: number
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  body: Uint8Array
}

export type RefusalTurn = {
  format: AnswerFormat
  model: string
  /** Unique per turn; letters, digits and underscores. It becomes part of the provider's ids. */
  id: string
  createdAt: Date
}
