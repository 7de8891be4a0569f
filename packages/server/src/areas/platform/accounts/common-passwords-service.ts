import { createRequire } from 'node:module'
import { invalidField } from '../../../kernel/problem.ts'
import { isCommon } from './common-passwords.ts'

/** spec: platform §2.4. */
export const COMMON_PASSWORDS = 10_000

const require = createRequire(import.meta.url)

let loaded: ReadonlySet<string> | undefined

/** Read at the first use, because most processes never set a password. */
export function commonPasswords(): ReadonlySet<string> {
  if (loaded !== undefined) return loaded
  // In the order of their frequency in public leaks, the commonest first.
  const list: unknown = require('@zxcvbn-ts/language-common/src/passwords.json')
  if (!Array.isArray(list)) throw new Error('the list of common passwords is not a list')
  loaded = new Set(list.slice(0, COMMON_PASSWORDS).map(String))
  return loaded
}

/** Throws `invalid_request` for a password that attackers try first. */
export function assertUncommon(field: 'password' | 'new_password', password: string): void {
  if (!isCommon(password, commonPasswords())) return
  throw invalidField(
    field,
    'is one of the commonest passwords, or one with a few characters added. Choose another, such as several random words.',
  )
}
