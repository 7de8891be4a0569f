import type { Body } from '@touchstone/sdk'
import type { Ticket } from './gatekeeper.ts'
import type { Ending } from './relay.ts'

export type Trace = Body<'POST', '/v1/traces'>
export type Checkpoint = Record<string, unknown>
export type Evidence = { trace: Trace; checkpoint: Checkpoint }

export type CallRecord = {
  ticket: Ticket
  ending: Ending
  agent: string
  session: string
  /** A version 4 UUID, by which the record is known if it is sent twice. */
  id: string
}

/** Enough to judge by; the service itself reads 8,192 characters of an output. */
const OUTPUT_CHARACTERS_MAX = 16_384
/** Interface: the longest reasoning of a trace, thinking of a checkpoint and name. */
const REASONING_CHARACTERS_MAX = 10_000
const THINKING_CHARACTERS_MAX = 400_000
const NAME_CHARACTERS_MAX = 256
const NO_REASONING = 'The agent gave no reasoning with the call.'

/**
 * What a tool call says of the agent that made it. Judged is what the agent wrote, its thinking and
 * the arguments; not what the tool answered, which are the words of others. The trace holds no
 * arguments, as it is kept.
 */
export function evidenceOf(
  { ticket, ending, agent, session, id }: CallRecord,
  actions: readonly string[],
): Evidence {
  const { decision, thinking, askedAt } = ticket
  const tool = sound(ticket.tool, NAME_CHARACTERS_MAX)
  const trace_id = `tr-${id}`
  const timestamp = askedAt.toISOString()
  const isRefused = ending === 'refused'
  return {
    trace: {
      agent_id: agent,
      trace_id,
      timestamp,
      action: {
        type: isRefused ? refusedAs(ticket) : 'execute',
        name: sound(actions.join(', ') || tool, NAME_CHARACTERS_MAX),
        category: 'bounded',
        target: { type: 'tool', identifier: tool },
      },
      decision: {
        selected: isRefused ? 'refused' : 'called',
        selection_reasoning:
          sound(thinking ?? NO_REASONING, REASONING_CHARACTERS_MAX) || NO_REASONING,
        values_applied: [],
      },
      ...(decision?.escalation_id != null && {
        escalation: {
          evaluated: true,
          required: true,
          reason: ticket.reason ?? 'a person was asked',
          escalation_id: decision.escalation_id,
          escalation_status: isRefused ? 'pending' : 'approved',
        },
      }),
      context: {
        session_id: session,
        metadata: {
          source: 'touchstone guard',
          ending,
          decision: decision?.decision ?? null,
          decision_id: decision?.decision_id ?? null,
        },
      },
      // The gateway has judged what was refused; a trace of it is no second violation.
      tools: isRefused ? [] : [tool],
    },
    checkpoint: {
      checkpoint_id: `ic-${id}`,
      agent_id: agent,
      session_id: session,
      timestamp,
      trace_id,
      output: sound(
        `Call of ${tool} with ${JSON.stringify(ticket.arguments)}`,
        OUTPUT_CHARACTERS_MAX,
      ),
      ...(thinking && { thinking: sound(thinking, THINKING_CHARACTERS_MAX) }),
    },
  }
}

/** With the u flag a surrogate pair is one character, so only lone halves match. */
const UNSOUND = /[\0\p{Surrogate}]/gu

/**
 * The service takes no NUL and no half of a surrogate pair, which a cut may leave. Whoever writes
 * one must not get away without a record.
 */
function sound(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(UNSOUND, '\u{FFFD}')
}

function refusedAs({ decision }: Ticket): 'escalate' | 'deny' {
  return decision?.decision === 'escalate' ? 'escalate' : 'deny'
}
