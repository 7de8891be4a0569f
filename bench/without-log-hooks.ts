/** Module hooks for a service that queues nothing for the log, for comparison with one that does. */
const QUEUE = '/areas/log/entries/pending-store.js'
const INSERT = 'export function insertPending('
const NOTHING = 'export const insertPending = () => sql`select 1 where false`\nfunction queued('

type Loaded = { format: string; source?: string | Uint8Array }

export async function load(
  url: string,
  context: object,
  next: (url: string, context: object) => Promise<Loaded>,
): Promise<Loaded> {
  const loaded = await next(url, context)
  if (!url.endsWith(QUEUE)) return loaded
  const { source = '' } = loaded
  const text = typeof source === 'string' ? source : Buffer.from(source).toString('utf8')
  if (!text.includes(INSERT)) throw new Error(`${QUEUE} does not have ${INSERT}`)
  return { ...loaded, source: text.replace(INSERT, NOTHING) }
}
