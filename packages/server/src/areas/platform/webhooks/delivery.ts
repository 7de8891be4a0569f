export const DELIVERY_STATUSES = [
  'pending',
  'delivering',
  'retrying',
  'delivered',
  'failed',
] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export type Attempt = {
  at: string
  status: number | null
  latency_ms: number
  error: string | null
}

export type Delivery = {
  deliveryId: string
  eventId: string
  endpointId: string
  eventType: string
  status: DeliveryStatus
  attemptCount: number
  lastResponseStatus: number | null
  lastError: string | null
  latencyMs: number | null
  nextAttemptAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export function isFinished(delivery: { status: DeliveryStatus }): boolean {
  return delivery.status === 'delivered' || delivery.status === 'failed'
}
