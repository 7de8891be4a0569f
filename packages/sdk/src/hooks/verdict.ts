import type { AnsweredEvent, HookDecision, HookFailure, HookOutput } from './hook-event.ts'

/** A decision in the terms of a hook: let the call pass, stop it, or let the client ask its user. */
export type HookVerdict =
  | {
      kind: 'pass'
      /** Messages for the agent. */
      context: string | undefined
      /** A message for the user: the call would have been stopped, or nobody decided about it. */
      notice: string | undefined
    }
  | {
      kind: 'deny'
      reason: string
      /** There is no decision, so the client has to be stopped by every means that it has. */
      isFailure: boolean
    }
  | { kind: 'ask'; reason: string }

/** Only calls that have not been made yet can be stopped; input that was not understood may be one. */
export function verdictOf(
  event: AnsweredEvent | undefined,
  decision: HookDecision | HookFailure,
  { canAsk }: { canAsk: boolean },
): HookVerdict {
  if (event !== undefined && event.event !== 'pre_tool') return pass()
  if (decision.decision === 'none') return failureVerdict(decision)
  const { enforced, local, notices } = decision
  if (decision.decision === 'allow') return pass(joined(notices))
  if (decision.decision === 'warn') return pass(joined([...decision.reasons, ...notices]))
  const reason = refusalOf(decision)
  if (!enforced) return pass(joined(notices), `Touchstone would have stopped this call: ${reason}`)
  if (decision.decision === 'escalate' && local && canAsk) return { kind: 'ask', reason }
  return { kind: 'deny', reason: `Refused by Touchstone: ${reason}`, isFailure: false }
}

function failureVerdict({ message, on_error }: HookFailure): HookVerdict {
  if (on_error === 'allow') return pass(undefined, `Touchstone did not decide: ${message}`)
  const reason = `Refused, because Touchstone could not decide: ${message}`
  return { kind: 'deny', reason, isFailure: true }
}

function pass(context?: string, notice?: string): HookVerdict {
  return { kind: 'pass', context, notice }
}

function refusalOf({ decision, reasons, approve_url: url }: HookDecision): string {
  const reason = joined(reasons) ?? 'the policy does not allow it'
  if (decision !== 'escalate') return reason
  const where = url === undefined ? 'in Touchstone' : `at ${url}`
  return `${reason} A person has to approve this call ${where}; then make the same call again.`
}

function joined(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : texts.map(asSentence).join(' ')
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/**
 * With exit code 2, every client stops the call whatever else happened to the hook. The reason is on
 * standard error, where clients read it in that case.
 */
export function denial(verdict: HookVerdict & { kind: 'deny' }, json?: object): HookOutput {
  const stdout = json === undefined ? {} : { stdout: JSON.stringify(json) }
  return verdict.isFailure ? { ...stdout, stderr: verdict.reason, exit: 2 } : stdout
}

/** The members that have a value, as JSON; nothing at all if none has. */
export function printed(members: Readonly<Record<string, unknown>>): HookOutput {
  const given = Object.entries(members).filter(([, value]) => value !== undefined)
  return given.length === 0 ? {} : { stdout: JSON.stringify(Object.fromEntries(given)) }
}
