import { ApiError, type Client } from '@touchstone/sdk'
import { createActionNames } from './action-names.ts'
import { type CallRecord, evidenceOf } from './evidence.ts'

export type SenderOptions = {
  client: Client
  agent: string
  now(): Date
  note(line: string): void
}

/**
 * Sends the traces of a group of calls, then their checkpoints, which name them. Throws when
 * another attempt may help; the ids make sure that nothing counts twice then.
 */
export function createEvidenceSender({ client, agent, now, note }: SenderOptions) {
  const actionsFor = createActionNames(client, agent, now)

  return async (records: readonly CallRecord[]): Promise<void> => {
    try {
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
    } catch (err) {
      if (!(err instanceof ApiError) || err.status === 429 || err.status >= 500) throw err
      note(`${records.length} records were refused: ${err.message}`)
    }
  }
}
