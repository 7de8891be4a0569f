/** One message of a stream: small, and visible to everybody with permission to read agents. */
export type Frame = {
  /** Id of the event in the outbox; absent for live-only frames. */
  id?: string
  type: string
  at: Date
  data: Readonly<Record<string, unknown>>
}

/** An event of the outbox. */
export type StreamedEvent = { id: string; type: string; createdAt: Date; data: object }

/** Permission to read agents does not include plans and quotas (spec: platform §2.5). */
const RESTRICTED_TYPES = /^(subscription|quota)\./

/** Allow-list of fields; free text by people or models is not streamed. */
const FIELDS: ReadonlySet<string> = new Set([
  'agent_id',
  'decision_id',
  'escalation_id',
  'tool',
  'decision',
  'outcome',
  'status',
  'count',
  'session_id',
  'checkpoint_id',
  'trace_id',
  'team_id',
  'card_id',
  'value_id',
  'verdict',
  'violation_type',
  'recommended_action',
  'synthetic',
  'score',
  'score_before',
  'score_after',
  'grade',
  'grade_before',
  'grade_after',
  'alert_id',
  'kind',
  'severity',
  'similarity',
  'resolution',
  'drift_direction',
  'action',
  'previous_status',
  'new_status',
  'member_count',
  'version',
  'card_source',
])

/** Returns `undefined` for event types that are not streamed. */
export function frameOf({ id, type, createdAt, data }: StreamedEvent): Frame | undefined {
  if (RESTRICTED_TYPES.test(type)) return undefined
  const source = 'trace' in data && typeof data.trace === 'object' ? (data.trace ?? {}) : data
  const fields = Object.entries(source).filter(
    ([name, value]) => FIELDS.has(name) && (value === null || typeof value !== 'object'),
  )
  return { id, type, at: createdAt, data: Object.fromEntries(fields) }
}

/** The frame as a server-sent event (HTML standard). Its JSON contains no raw line breaks. */
export function textOf({ id, type, at, data }: Frame): string {
  const json = JSON.stringify({ type, time: at.toISOString(), ...data })
  return `event: ${type}\n${id === undefined ? '' : `id: ${id}\n`}data: ${json}\n\n`
}

/** The event ids in the text of one or more frames. */
export function idsIn(texts: string): string[] {
  return [...texts.matchAll(/^id: (.+)$/gm)].map(([, id]) => id ?? '')
}

const LIVE_DECISION = /^event: gateway\.decision$/m
const DECISION_ID = /"decision_id":"(dec-[^"]+)"/

/**
 * Ids by which a frame is recognised if it is to be sent again: that of its event, or, because
 * decisions have no event, that of its decision.
 */
export function keysOf(frame: string): string[] {
  const [, decisionId] = (LIVE_DECISION.test(frame) && DECISION_ID.exec(frame)) || []
  return decisionId === undefined ? idsIn(frame) : [decisionId]
}

/** Splits the text of several frames into one text per frame. */
export function split(texts: string): string[] {
  return texts.split(/(?<=\n\n)/)
}

/**
 * Joins texts, in order, into as few strings of at most `bytesMax` bytes as possible; drops a text
 * that exceeds the limit by itself.
 */
export function pack(texts: readonly string[], bytesMax: number): string[] {
  const packed: string[] = []
  let open = ''
  let bytes = 0
  for (const text of texts) {
    const length = Buffer.byteLength(text)
    if (length > bytesMax) continue
    if (bytes + length > bytesMax) {
      packed.push(open)
      open = ''
      bytes = 0
    }
    open += text
    bytes += length
  }
  return open === '' ? packed : [...packed, open]
}
