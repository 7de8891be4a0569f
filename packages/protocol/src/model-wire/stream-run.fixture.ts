import { encodeText, joinPieces } from './byte-queue.ts'
import type {
  StreamFault,
  StreamOptions,
  ToolCall,
  TurnSummary,
  Verdict,
  WireFormat,
} from './wire-format.ts'

export type Run = {
  out: string
  calls: ToolCall[]
  summary: TurnSummary
  faults: StreamFault[]
}

/** Pushes the pieces, settles each call as soon as it is known, and ends. */
export function runStream(
  wire: WireFormat,
  pieces: readonly Uint8Array[],
  options: StreamOptions & { refuse?: (call: ToolCall) => boolean } = {},
): Run {
  const { refuse = () => false, ...streamOptions } = options
  const stream = wire.createStream(streamOptions)
  const out: Uint8Array[] = []
  const calls: ToolCall[] = []
  const faults: StreamFault[] = []
  const take = (step: ReturnType<typeof stream.push>) => {
    out.push(...step.forward)
    if (step.fault !== undefined) faults.push(step.fault)
    calls.push(...step.decide)
    const verdicts = step.decide.map(
      (call): Verdict =>
        refuse(call)
          ? { n: call.n, isReleased: false, text: refusalOf(call) }
          : { n: call.n, isReleased: true },
    )
    out.push(...stream.settle(verdicts))
  }
  for (const piece of pieces) take(stream.push(piece))
  take(stream.end())
  return {
    out: new TextDecoder().decode(joinPieces(out)),
    calls,
    summary: stream.summary(),
    faults,
  }
}

export function refusalOf({ n, name }: ToolCall): string {
  return `Touchstone blocked ${name}: not allowed (dec_${n})`
}

export const bytesOf = encodeText
