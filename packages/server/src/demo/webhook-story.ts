import type { Step } from './client.ts'

const MINUTE_MS = 60_000
const OPEN_MINUTES = 30
/** The model of the research librarian asks for a shell, which is the first event. */
const FIRST_EVENT_MINUTES = 20
/** Later than the first retry, which comes after about ten seconds. */
const RETRY_MS = 15_000

/**
 * An endpoint that receives the events of the last half hour: the first of them at its second attempt. It is disabled
 * in the end, because its receiver runs only while the demo data is created.
 */
export function webhookSteps(now: Date): Step[] {
  const before = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS)
  let path = ''
  return [
    {
      at: before(OPEN_MINUTES),
      async run({ call, orgId, receiver }) {
        const url = await receiver.open()
        const made = await call('POST', `/v1/orgs/${orgId}/webhooks`, {
          url,
          description:
            'Demo data. Received events on this machine while the demo data was created; disabled since then.',
          event_types: ['decision.*', 'escalation.*', 'reputation.grade_changed'],
        })
        path = `/v1/orgs/${orgId}/webhooks/${made.endpoint_id}`
      },
    },
    // Deliveries are sent after each step; this one has the time of the retry.
    {
      at: new Date(before(FIRST_EVENT_MINUTES).getTime() + RETRY_MS),
      run: () => Promise.resolve(),
    },
    {
      at: now,
      async run({ call, receiver }) {
        await call('PATCH', path, { is_active: false })
        await receiver.close()
      },
    },
  ]
}
