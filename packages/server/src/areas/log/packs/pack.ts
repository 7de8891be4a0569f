export const FRAMEWORKS = [
  'eu_ai_act',
  'iso_42001',
  'soc2',
  'owasp_agentic',
  'nist_ai_rmf',
] as const
export type Framework = (typeof FRAMEWORKS)[number]

export const PACK_STATUSES = ['queued', 'running', 'ready', 'failed'] as const
export type PackStatus = (typeof PACK_STATUSES)[number]

/** From inclusive, to exclusive. */
export type Period = { from: Date; to: Date }

export type Pack = Period & {
  packId: string
  orgId: string
  requestedBy: string
  frameworks: readonly Framework[]
  status: PackStatus
  /** Percent. */
  progress: number
  error: string | null
  bytes: number | null
  sha256: string | null
  createdAt: Date
  expiresAt: Date
}

/** The months of a period, as tags of organisations are made for them: `YYYY-MM`. */
export function monthsOf({ from, to }: Period): string[] {
  const months: string[] = []
  const month = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), 1))
  while (month < to) {
    months.push(month.toISOString().slice(0, 'YYYY-MM'.length))
    month.setUTCMonth(month.getUTCMonth() + 1)
  }
  return months
}
