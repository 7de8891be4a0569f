import { textIn } from './genai-span.ts'
import type { Span } from './span.ts'

/** spec: evidence §0. Other names cannot be the id of an agent. */
const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{2,127}$/

/** Set explicitly for this service, so no other attribute is considered. */
const EXPLICIT = 'touchstone.agent_id'

/** Otherwise the first of these that names a known agent, on the span before the resource. */
const USUAL = ['gen_ai.agent.id', 'gen_ai.agent.name'] as const
const SERVICE = 'service.name'

/** The agents that a span may belong to, most likely first. */
export function agentCandidates(span: Span): string[] {
  const explicit = textIn(span.attributes, EXPLICIT) ?? textIn(span.resource, EXPLICIT)
  const named =
    explicit === undefined
      ? [
          ...USUAL.flatMap((name) => [textIn(span.attributes, name), textIn(span.resource, name)]),
          textIn(span.resource, SERVICE),
        ]
      : [explicit]
  return [...new Set(named.filter((name) => name !== undefined))]
}

export function isAgentId(name: string): boolean {
  return AGENT_ID.test(name)
}

const SHOWN_MAX = 100

/** The reason reported for a span without a known agent. */
export function unknownAgent(candidates: readonly string[]): string {
  const first = candidates[0]
  const found =
    first === undefined
      ? 'no attribute names an agent'
      : `no agent of your organisation has the id ${candidates.map(toShown).join(' or ')}`
  return `${found}; register it with POST /v1/agents, or set the resource attribute ${EXPLICIT} (OTEL_RESOURCE_ATTRIBUTES) or service.name (OTEL_SERVICE_NAME) to its id`
}

function toShown(name: string): string {
  const cut = name.length > SHOWN_MAX ? `${name.slice(0, SHOWN_MAX)}…` : name
  return JSON.stringify(cut)
}
