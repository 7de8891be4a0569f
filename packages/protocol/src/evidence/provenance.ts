/** How the service came to know a record (spec: provenance §1). Attested, so part of the protocol. */
export const PROVENANCES = ['observed', 'relayed', 'reported', 'imported'] as const
export type Provenance = (typeof PROVENANCES)[number]

/**
 * Where a record comes from, as the service knows it by itself. INVARIANT: nothing in here is read
 * from the record.
 */
export type RecordSource =
  /** The service read it in the traffic of a model provider. */
  | { kind: 'model_traffic' }
  /**
   * The gateway found it out, such as a call that was made although it was refused, or read it in the
   * traffic of a model server that it does not know.
   */
  | { kind: 'gateway' }
  | { kind: 'otlp' }
  /** A credential sent it; `boundTo` is the only agent that the credential can be used for. */
  | { kind: 'api'; client: string; boundTo: string | null }

/** The clients that stand between an agent and its tools. */
const RELAYS = ['sdk', 'mcp_guard', 'hook']

/** A record that reports something older was collected elsewhere and is imported. */
export const REPORTED_AGE_MS_MAX = 24 * 3_600_000

export type ReceivedRecord = {
  source: RecordSource
  agentId: string
  /** Whether it names decisions of the gateway, which are checked already. */
  namesDecisions: boolean
  timestamp: Date
  receivedAt: Date
}

export function provenanceOf(record: ReceivedRecord): Provenance {
  const { source, timestamp, receivedAt } = record
  if (source.kind === 'model_traffic') return 'observed'
  if (isRelayed(record)) return 'relayed'
  if (source.kind === 'otlp') return 'imported'
  const ageMs = receivedAt.getTime() - timestamp.getTime()
  return ageMs > REPORTED_AGE_MS_MAX ? 'imported' : 'reported'
}

function isRelayed({ source, agentId, namesDecisions }: ReceivedRecord): boolean {
  if (source.kind === 'gateway') return true
  if (source.kind !== 'api' || !namesDecisions) return false
  return RELAYS.includes(source.client) && source.boundTo === agentId
}
