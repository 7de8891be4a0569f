import type {
  AnswerFormat,
  MadeAnswer,
  RequestTarget,
  WireFormat,
} from '@touchstone/protocol/model-wire'
import type { OrgId } from './kernel/ids.ts'

/** Connections and turns of a model, which the features of the model gateway pass to each other. */

export const MODEL_PROVIDERS = ['anthropic', 'openai', 'gemini', 'openai_compatible'] as const
export type ModelProvider = (typeof MODEL_PROVIDERS)[number]

/** A connection of an agent to a model provider. */
export type ModelConnection = {
  orgId: OrgId
  connectionId: string
  agentId: string
  accountId: string
  provider: ModelProvider
  /** Stands before `/v1`; null unless the provider is openai_compatible. */
  upstreamUrl: string | null
  /** Null if the client's own credential is passed through. */
  sealedCredential: string | null
  /** The answer for a contained agent: an error, or a turn of the model that says so. */
  onContained: 'refuse' | 'turn'
  onError: 'fail_closed' | 'fail_open'
  /** In mode observe calls are decided and recorded; nothing is replaced, held or refused. */
  mode: 'enforce' | 'observe'
}

/** A governed request, whole and unchanged. */
export type TurnRequest = {
  connection: ModelConnection
  wire: WireFormat
  target: RequestTarget
  body: Uint8Array
  /** The session that the client names in a header. */
  session: string | undefined
  /** Free text about the client program. */
  client: string | undefined
}

export type TurnStart =
  /** Answered without the provider. */
  | { kind: 'answer'; answer: MadeAnswer; headers: Readonly<Record<string, string>> }
  | { kind: 'send'; body: Uint8Array; turn: Turn }

/** Decides the calls of one answer and records the turn (spec: model-gateway §3). */
export type Turn = {
  /** Set on the answer. */
  headers: Readonly<Record<string, string>>
  answerFormat(contentType: string | undefined): AnswerFormat
  /** The model did not see the request. What it would have been told waits for the next one. */
  giveBack(): Promise<void>
  /**
   * Judges a whole answer; undefined if it cannot be read and may not be released. Rejects only if the
   * gateway fails and nothing may be released. The signal says that the client has gone, so that nothing
   * is held for it any more.
   */
  answer(
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<{ body: Uint8Array; headers: Readonly<Record<string, string>> } | undefined>
  open(format: AnswerFormat, sink: Sink): TurnStream
}

export type Sink = {
  write(chunks: readonly Uint8Array[]): void
  /** No more bytes follow. */
  end(): void
  /** Nothing more of the provider's answer is needed. */
  stop(): void
}

export type TurnStream = {
  push(chunk: Uint8Array): void
  heldBytes(): number
  /** Whether an error ended the answer, so that the rest of the provider's does not matter. */
  isOver(): boolean
  /** Resolves once no complete call waits for its decision. */
  whenSettled(): Promise<void>
  /** The provider closed the stream. Resolves when the turn has ended and its sink with it. */
  end(): Promise<void>
  /** The provider's connection broke. */
  break(message: string): Promise<void>
  /** The client has gone. */
  leave(): void
}
