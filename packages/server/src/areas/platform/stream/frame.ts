/** What a stream tells: small, and nothing that a reader of agents may not see. */
export type Frame = {
  /** Of the event in the outbox; absent for what is told live only. */
  id?: string
  type: string
  at: Date
  data: Readonly<Record<string, unknown>>
}

/** An event of the outbox. */
export type Told = { id: string; type: string; createdAt: Date; data: object }

/** Plans and quotas are not for everybody who may read agents (04 §2.5). */
const OVERSEERS_ONLY = /^(subscription|quota)\./

/** Texts that people or models wrote stay where they are read with care. */
const FIELDS: ReadonlySet<string> = new Set([
  'agent_id',
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

/** Nothing for what is not told. */
export function frameOf({ id, type, createdAt, data }: Told): Frame | undefined {
  if (OVERSEERS_ONLY.test(type)) return undefined
  const about = 'trace' in data && typeof data.trace === 'object' ? (data.trace ?? {}) : data
  const told = Object.entries(about).filter(
    ([name, value]) => FIELDS.has(name) && (value === null || typeof value !== 'object'),
  )
  return { id, type, at: createdAt, data: Object.fromEntries(told) }
}

/** As it goes out (HTML, Server-sent events). JSON has no line breaks of its own. */
export function textOf({ id, type, at, data }: Frame): string {
  const told = JSON.stringify({ type, time: at.toISOString(), ...data })
  return `event: ${type}\n${id === undefined ? '' : `id: ${id}\n`}data: ${told}\n\n`
}

/** The ids in such texts. */
export function idsIn(texts: string): string[] {
  return [...texts.matchAll(/^id: (.+)$/gm)].map(([, id]) => id ?? '')
}

/** One frame each. */
export function split(texts: string): string[] {
  return texts.split(/(?<=\n\n)/)
}

/** Joins texts, in order, into as few as fit into so many bytes; one that does not is left out. */
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
