/**
 * The evidence named by a link to the verifier: an agent, a checkpoint, or a proof and its
 * organisation.
 */
export type VerifyLink = { bundle?: string; certificate?: string; receipt?: string; org?: string }

const KEYS = ['bundle', 'certificate', 'receipt', 'org'] as const

export function parseVerifyLink(search: Record<string, unknown>): VerifyLink {
  const link: VerifyLink = {}
  for (const key of KEYS) {
    const value = search[key]
    if (value !== undefined && value !== '') link[key] = String(value)
  }
  return link
}

/** Describes the linked evidence; undefined if the link names none. */
export function describeVerifyLink({
  bundle,
  certificate,
  receipt,
}: VerifyLink): string | undefined {
  if (bundle !== undefined) return `Evidence bundle of ${bundle}`
  if (certificate !== undefined) return `Certificate of ${certificate}`
  return receipt === undefined ? undefined : `Receipt of proof ${receipt}`
}
