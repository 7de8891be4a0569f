import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatRecoveryCode,
  RECOVERY_BYTES,
  readRecoveryCode,
  readTotpCode,
} from './recovery-codes.ts'

describe('recovery codes', () => {
  it('are read as they were shown, however they are typed', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: RECOVERY_BYTES, maxLength: RECOVERY_BYTES }),
        (bytes) => {
          const shown = formatRecoveryCode(bytes)
          expect(shown).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
          const plain = shown.replaceAll('-', '')
          for (const typed of [shown, plain, shown.toLowerCase(), ` ${shown} `]) {
            expect(readRecoveryCode(typed)).toBe(plain)
          }
        },
      ),
    )
  })

  it('are never taken for a code of an app', () => {
    expect(readTotpCode('ABCD-EFGH-IJKL-MNOP')).toBeUndefined()
    expect(readRecoveryCode('123456')).toBeUndefined()
    expect(readTotpCode('123 456')).toBe('123456')
    expect(readTotpCode('１２３４５６')).toBeUndefined()
  })
})
