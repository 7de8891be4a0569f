import { ApiError, type Client } from '@touchstone/sdk'
import { createActionNames } from './action-names.ts'
import { type CallRecord, evidenceOf } from './evidence.ts'

export type SenderOptions = {
  client: Client
  agent: string
  now(): Date
  note(line: string): void
}

/** What a request is answered with when something in it is wrong, or all of it is too much. */
const UNREADABLE: ReadonlySet<number> = new Set([400, 413, 422])

/**
 * Sends the traces of a group of calls, then their checkpoints, which name them. Throws when
 * another attempt may help; the ids make sure that nothing counts twice then.
 */
export function createEvidenceSender({ client, agent, now, note }: SenderOptions) {
  const actionsFor = createActionNames(client, agent, now)

  async function send(records: readonly CallRecord[]): Promise<void> {
    try {
      await sendTogether(records)
    } catch (err) {
      if (!(err instanceof ApiError) || err.status === 429 || err.status >= 500) throw err
      // One that cannot be read must not take the others with it.
      if (records.length > 1 && UNREADABLE.has(err.status)) {
        const half = Math.ceil(records.length / 2)
        await send(records.slice(0, half))
        await send(records.slice(half))
        return
      }
      note(`${records.length} records were refused: ${err.message}`)
    }
  }

  async function sendTogether(records: readonly CallRecord[]): Promise<void> {
    const evidence = await Promise.all(
      records.map(async (record) => evidenceOf(record, await actionsFor(record.ticket.tool))),
    )
    const traces = evidence.map(({ trace }) => trace)
    const checkpoints = evidence.map(({ checkpoint }) => checkpoint)
    const sent = [
      await client.request('POST', '/v1/traces/batch', { body: { traces } }),
      await client.request('POST', '/v1/checkpoints/batch', { body: { checkpoints } }),
    ]
    for (const { rejected, results } of sent) {
      if (rejected === 0) continue
      const reason = results.find(({ status }) => status === 'rejected')?.message
      note(`${rejected} records were refused, such as: ${reason}`)
    }
  }

  return send
}
