/** What a link to the verifier names: an agent, a checkpoint, or a proof and whose it is. */
export type Handed = { bundle?: string; certificate?: string; receipt?: string; org?: string }

const KEYS = ['bundle', 'certificate', 'receipt', 'org'] as const

export function readHanded(search: Record<string, unknown>): Handed {
  const handed: Handed = {}
  for (const key of KEYS) {
    const value = search[key]
    if (value !== undefined && value !== '') handed[key] = String(value)
  }
  return handed
}

/** What it is, for a person; undefined where nothing is named. */
export function wordsFor({ bundle, certificate, receipt }: Handed): string | undefined {
  if (bundle !== undefined) return `The evidence bundle of ${bundle}`
  if (certificate !== undefined) return `The certificate of ${certificate}`
  return receipt === undefined ? undefined : `The receipt of proof ${receipt}`
}
