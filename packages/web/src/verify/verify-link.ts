/** What a link to the verifier names: an agent, a checkpoint, or a proof and whose it is. */
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

/** What it is, for a person; undefined where nothing is named. */
export function describeVerifyLink({
  bundle,
  certificate,
  receipt,
}: VerifyLink): string | undefined {
  if (bundle !== undefined) return `The evidence bundle of ${bundle}`
  if (certificate !== undefined) return `The certificate of ${certificate}`
  return receipt === undefined ? undefined : `The receipt of proof ${receipt}`
}
