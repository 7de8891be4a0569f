import { randomBytes } from 'node:crypto'
import type { SecretBox } from '../../../kernel/secrets.ts'
import { SECRET_PREFIX } from './signature.ts'
import type { SealedSecrets } from './store.ts'

const SECRET_BYTES = 32

/** As many stay open: each attempt signs, and opening one costs as much as signing with it. */
const OPEN_MAX = 1000

export type Secrets = ReturnType<typeof createSecrets>

/** Signing secrets: made here, kept sealed, opened only to sign. */
export function createSecrets(box: SecretBox) {
  const purposeOf = (endpointId: string) => `webhook_endpoint ${endpointId}`
  const opened = new Map<string, string>()
  const open = (sealed: string, purpose: string): string => {
    const known = opened.get(purpose + sealed)
    if (known !== undefined) return known
    const secret = box.open(sealed, purpose)
    if (opened.size >= OPEN_MAX) opened.clear()
    opened.set(purpose + sealed, secret)
    return secret
  }
  return {
    create: (): string => `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('hex')}`,

    seal: (endpointId: string, secret: string): string => box.seal(secret, purposeOf(endpointId)),

    /** The previous one only while its overlap lasts. */
    open(endpointId: string, sealed: SealedSecrets, now: Date) {
      const { previousSecretSealed: before, previousSecretUntil: until } = sealed
      const overlaps = before !== null && until !== null && until > now
      return {
        secret: open(sealed.secretSealed, purposeOf(endpointId)),
        previous: overlaps ? open(before, purposeOf(endpointId)) : undefined,
      }
    },
  }
}
