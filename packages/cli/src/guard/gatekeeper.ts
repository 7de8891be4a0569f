import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { hashCanonical } from '@touchstone/protocol'
import { type Answer, ApiError, type Client } from '@touchstone/sdk'
import { reasonOf } from '../failure.ts'
import type { Ruling } from './relay.ts'

type Decided = Answer<'POST', '/v1/gateway/decide'>

export type Question = {
  tool: string
  arguments: Record<string, unknown>
  thinking: string | undefined
}

/** What is known of a call when it is over, for the record. */
export type Ticket = Question & {
  askedAt: Date
  /** Undefined when there was no answer to the question. */
  decision: Decided | undefined
  reason: string | undefined
}

export type GatekeeperOptions = {
  /** Made for this alone: without retries, so that a call waits for one answer only. */
  client: Client
  agent: string
  session: string
  transaction: string | undefined
  /** Lets calls through while the service cannot be asked. */
  failOpen: boolean
  timeoutMs: number
  now(): Date
  /** What must be so before the first question; tried again until it is. */
  prepare(): Promise<void>
  note(line: string): void
}

const DECISION_KEY = 'touchstone/decision'
/** Approvals that are waited for; the oldest is forgotten beyond, and asked for anew. */
const ESCALATIONS_MAX = 1000

/** Asks the service about each call. Never throws: what cannot be asked is refused. */
export function createGatekeeper(options: GatekeeperOptions) {
  const { client, agent, session, transaction, failOpen, timeoutMs, note } = options
  /** By call, so that an approval is used for what was shown to the person who gave it. */
  const escalations = new Map<string, string>()
  let preparation: Promise<void> | undefined

  async function decide(question: Question, key: string): Promise<Decided> {
    const escalation = escalations.get(key)
    return client.request('POST', '/v1/gateway/decide', {
      signal: AbortSignal.timeout(timeoutMs),
      body: {
        agent_id: agent,
        session_id: session,
        tool: question.tool,
        arguments: question.arguments,
        ...(transaction !== undefined && { transaction_id: transaction }),
        ...(escalation !== undefined && { escalation_id: escalation }),
      },
    })
  }

  /** Calls that come meanwhile wait for the same attempt. */
  function prepared(): Promise<void> {
    preparation ??= options.prepare().catch((err: unknown) => {
      preparation = undefined
      throw err
    })
    return preparation
  }

  function remember(key: string, { decision, escalation_id: id }: Decided): void {
    escalations.delete(key)
    if (decision !== 'escalate' || id === null) return
    escalations.set(key, id)
    const [oldest] = escalations.keys()
    if (escalations.size > ESCALATIONS_MAX && oldest !== undefined) escalations.delete(oldest)
  }

  return async (question: Question): Promise<Ruling<Ticket>> => {
    const askedAt = options.now()
    const ticket = { ...question, askedAt, decision: undefined, reason: undefined }
    const key = keyOf(question)
    if (key === undefined) {
      const text =
        'The arguments cannot be asked about: half of a surrogate pair, or nested too deep.'
      note(`${question.tool} was refused: ${text}`)
      return { allowed: false, result: refusal(text), ticket: { ...ticket, reason: text } }
    }
    try {
      await prepared()
      const decision = await decide(question, key)
      remember(key, decision)
      return rulingOf(decision, { ...ticket, decision })
    } catch (err) {
      const reason = reasonOf(err)
      const isSilent = !(err instanceof ApiError) || err.status >= 500 || err.status === 429
      if (failOpen && isSilent) {
        note(`${question.tool} was let through, as the service did not answer: ${reason}`)
        return { allowed: true, notices: [], ticket: { ...ticket, reason } }
      }
      note(`${question.tool} was refused: ${reason}`)
      const text = isSilent
        ? `Touchstone could not be asked (${reason}), so the tool was not called.`
        : reason
      return { allowed: false, result: refusal(text), ticket: { ...ticket, reason: text } }
    }
  }
}

/** None where there is no canonical form; with --fail-open such a call is refused, too. */
function keyOf({ tool, arguments: args }: Question): string | undefined {
  try {
    return hashCanonical({ tool, arguments: args })
  } catch {
    return undefined
  }
}

function rulingOf(decision: Decided, ticket: Ticket): Ruling<Ticket> {
  const notices = decision.notices.map(({ message }) => `Touchstone: ${message}`)
  if (decision.decision === 'allow' || decision.decision === 'warn') {
    return { allowed: true, notices, ticket }
  }
  const text = [...refusalWords(decision), ...notices].join('\n')
  return { allowed: false, result: refusal(text, decision), ticket: { ...ticket, reason: text } }
}

function refusalWords({ decision, reasons, escalation_id: escalation }: Decided): string[] {
  const messages = [...new Set(reasons.map(({ message }) => message))]
  if (decision === 'block') return [`Refused by Touchstone: ${messages.join('; ')}`]
  return [
    `A person must approve this call first: ${messages.join('; ')}`,
    `Escalation ${escalation}. Once it is approved, make the same call again.`,
  ]
}

function refusal(text: string, decision?: Decided): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    isError: true,
    ...(decision && {
      _meta: {
        [DECISION_KEY]: {
          decision_id: decision.decision_id,
          decision: decision.decision,
          reasons: decision.reasons,
          escalation_id: decision.escalation_id,
        },
      },
    }),
  }
}
