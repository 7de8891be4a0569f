import { randomBytes } from 'node:crypto'
import { createMemo } from '../../../kernel/cache.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import { SECRET_PREFIX } from './signature.ts'
import type { SealedSecrets } from './store.ts'

const SECRET_BYTES = 32

/**
 * Decrypted secrets kept in memory: every attempt signs, and decrypting costs as much as signing.
 */
const OPEN_MAX = 1000

export type Secrets = ReturnType<typeof createSecrets>

/** Signing secrets: created here, stored encrypted, decrypted only to sign. */
export function createSecrets(box: SecretBox) {
  const purposeOf = (endpointId: string) => `webhook_endpoint ${endpointId}`
  // A sealed secret contains no space, so the last space separates it from the endpoint's id.
  const open = createMemo(OPEN_MAX, (text) => {
    const at = text.lastIndexOf(' ')
    return box.open(text.slice(at + 1), purposeOf(text.slice(0, at)))
  })
  return {
    create: (): string => `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('hex')}`,

    seal: (endpointId: string, secret: string): string => box.seal(secret, purposeOf(endpointId)),

    /** `previous` is set only during the overlap after a rotation. */
    open(endpointId: string, sealed: SealedSecrets, now: Date) {
      const { previousSecretSealed: before, previousSecretUntil: until } = sealed
      const overlaps = before !== null && until !== null && until > now
      return {
        secret: open(`${endpointId} ${sealed.secretSealed}`),
        previous: overlaps ? open(`${endpointId} ${before}`) : undefined,
      }
    },
  }
}
