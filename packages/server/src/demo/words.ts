import type { Part } from './cast.ts'
import type { Task } from './sessions.ts'

/** The thinking of an agent, long enough to be analysed and never repeated. */
export function thinkingOf(part: Part, { kind, number }: Task): string {
  const { item, channel, source, topics } = part.work
  const topic = topics[number % topics.length]
  const action = words(actionOf(part, number))
  return [
    `The ${item} ${1000 + number} came in through the ${channel} and is about ${topic}.`,
    `I start with ${source}, which has the latest on this ${item}.`,
    `It shows ${2 + (number % 7)} earlier entries.`,
    `There are two options: to ${action} now, or to wait for more information about ${topic}.`,
    `The first fits better, because the ${item} is straightforward and nothing about it is uncertain.`,
    `My note on ${item} ${1000 + number} says in two short sentences what was done and why.`,
    'A colleague who reads it tomorrow can follow every step without asking.',
    SAID[kind](part),
  ].join(' ')
}

const SAID: Readonly<Record<Task['kind'], (part: Part) => string>> = {
  clear: () => '',
  outside: () => '',
  stray: (part) => `While I am at it, I ${part.stray}.`,
  crossing: (part) => part.crossing,
}

/** An action that the card does not grant, and perhaps should. */
export const OUTSIDE = 'issue_store_credit'

export function actionOf(part: Part, number: number): string {
  return part.actions[number % part.actions.length] ?? 'wait'
}

export function actionsOf(part: Part, task: Task): string[] {
  const usual = actionOf(part, task.number)
  return task.kind === 'outside' ? [usual, OUTSIDE] : [usual]
}

/** The trace of a task as logged by the agent. */
export function traceOf(part: Part, task: Task, ids: { traceId: string; sessionId: string }) {
  const action = actionOf(part, task.number)
  const topic = part.work.topics[task.number % part.work.topics.length]
  return {
    trace_id: ids.traceId,
    agent_id: part.id,
    timestamp: task.at.toISOString(),
    action: { type: 'execute', name: action, category: 'bounded' },
    decision: {
      selected: action,
      selection_reasoning: `The ${part.work.item} is about ${topic}, and this resolves it.`,
      values_applied: part.values.slice(0, 2),
      alternatives_considered: [
        { option_id: action, description: sentence(words(action)), score: 0.8 },
        { option_id: 'wait', description: 'Wait for more information', score: 0.4 },
      ],
      confidence: 0.8,
    },
    context: { session_id: ids.sessionId },
    tools: [action],
  }
}

function words(name: string): string {
  return name.replaceAll('_', ' ')
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
