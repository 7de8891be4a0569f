import type { Part } from './cast.ts'
import { type Session, seededRandom } from './sessions.ts'
import { actionOf, OUTSIDE } from './words.ts'

/** A tool call of the story, with what people and tools will answer. */
export type ToolCall = {
  agentId: string
  sessionId: string
  callId: string
  at: Date
  tool: string
  args: Readonly<Record<string, unknown>>
  /** The agent's words for a person who is asked to approve the call. */
  justification: string
  /** The answer if the call needs an approval; undefined if nobody answers in time. */
  approval: 'approve' | 'reject' | undefined
  /** The result of the call if it is made; undefined if nobody reports it. */
  result: { status: 'executed' | 'failed'; duration_ms: number; error?: string } | undefined
  /** The agent calls the tool although it is refused. */
  bypasses: boolean
}

/** A tool is called shortly before the agent reports the task as a checkpoint. */
const BEFORE_MS = 8_000

const ERRORS = ['The service answered 503', 'Timed out after 30 s', 'No such record'] as const

/** Calls for every second plain task of the session, and for all others. */
export function toolCallsOf({ part, sessionId, tasks }: Session): ToolCall[] {
  const chosen = tasks.filter(({ kind, number }) => kind !== 'clear' || number % 2 === 1)
  return chosen.map(({ at, kind, number }) => {
    const { tool, args } = callOf(part, kind, number)
    return {
      agentId: part.id,
      sessionId,
      callId: `call-${number}`,
      at: new Date(at.getTime() - BEFORE_MS),
      tool,
      args,
      justification: `The ${part.work.item} is about ${part.work.topics[number % part.work.topics.length]}; ${part.work.source} confirms it.`,
      approval: (['approve', 'approve', 'reject', undefined] as const)[(number >> 1) % 4],
      result: resultOf(number),
      bypasses: false,
    }
  })
}

type Call = Pick<ToolCall, 'tool' | 'args'>

function callOf(part: Part, kind: Session['tasks'][number]['kind'], number: number): Call {
  const about = { [part.work.item]: 1000 + number }
  if (kind === 'stray' && number % 2 === 0) {
    return { tool: 'run_shell', args: { command: `grep -ri ${part.work.item} ~/shared` } }
  }
  const tool = kind === 'outside' ? OUTSIDE : actionOf(part, number)
  if (kind === 'crossing') return { tool, args: { ...about, amount: 4800 } }
  return { tool, args: { ...about, ...amountOf(tool, number) } }
}

/** Few amounts are above the limits from which on people are asked. */
function amountOf(tool: string, number: number): { amount?: number } {
  if (tool === 'refund') {
    return { amount: number % 9 === 0 ? 240 + (number % 5) * 40 : 15 + ((number * 37) % 160) }
  }
  if (tool === 'prepare_payment') {
    return { amount: number % 7 === 0 ? 620 + (number % 8) * 40 : 80 + ((number * 53) % 400) }
  }
  return {}
}

function resultOf(number: number): ToolCall['result'] {
  const random = seededRandom(number)
  const duration_ms = Math.round(40 + random() ** 3 * 2400)
  if (number % 17 === 5) return undefined
  if (number % 23 !== 7) return { status: 'executed', duration_ms }
  const error = ERRORS[number % ERRORS.length] ?? ERRORS[0]
  return { status: 'failed', duration_ms, error }
}
