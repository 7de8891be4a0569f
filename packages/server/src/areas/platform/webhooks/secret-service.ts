import { randomBytes } from 'node:crypto'
import { createMemo } from '../../../kernel/cache.ts'
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
  // A sealed text has no space, so the last one parts it from the endpoint's id.
  const open = createMemo(OPEN_MAX, (text) => {
    const at = text.lastIndexOf(' ')
    return box.open(text.slice(at + 1), purposeOf(text.slice(0, at)))
  })
  return {
    create: (): string => `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('hex')}`,

    seal: (endpointId: string, secret: string): string => box.seal(secret, purposeOf(endpointId)),

    /** The previous one only while its overlap lasts. */
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
