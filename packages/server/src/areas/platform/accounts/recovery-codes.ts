import { toBase32 } from './totp.ts'

/** Codes that replace the authenticator app, each once (spec: platform §2.4). */
export const RECOVERY_CODES = 10
/** 80 bits, which nobody can guess. */
export const RECOVERY_BYTES = 10

/** Such as `ABCD-EFGH-IJKL-MNOP`. */
export function formatRecoveryCode(bytes: Uint8Array): string {
  return toBase32(bytes).replace(/.{4}(?=.)/g, '$&-')
}

/** The typed text in the form that is hashed; undefined if it cannot be a recovery code. */
export function readRecoveryCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[\s-]/g, '')
  return /^[A-Z2-7]{16}$/.test(code) ? code : undefined
}

/** A code of an authenticator app, which people type with or without a space. */
export function readTotpCode(typed: string): string | undefined {
  const code = typed.replace(/\s/g, '')
  return /^\d{6}$/.test(code) ? code : undefined
}
