import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { useToast } from '../../ui/toast.tsx'
import { webhooksKey } from './queries.ts'

/** Sends a test event and shows the response. */
export function TestButton({ orgId, endpointId }: { orgId: string; endpointId: string }) {
  const toast = useToast()
  const test = useAction({
    run: () =>
      api.request('POST', '/v1/orgs/{org_id}/webhooks/{endpoint_id}/test', {
        params: { org_id: orgId, endpoint_id: endpointId },
      }),
    refresh: [webhooksKey(orgId)],
    onDone: ({ success, status, latency_ms, error }) =>
      toast(
        success
          ? `Delivered: HTTP ${status} in ${latency_ms} ms`
          : `Delivery failed: ${error ?? `HTTP ${status}`}`,
        success ? 'good' : 'bad',
      ),
  })
  return (
    <Button tone="primary" busy={test.isPending} onClick={() => test.mutate()}>
      Send test event
    </Button>
  )
}
