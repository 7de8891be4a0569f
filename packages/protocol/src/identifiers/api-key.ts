import { formatToken, isWellFormedToken } from './checked-token.ts'

const PREFIX = 'tsk_'

/** Completes 32 random base62 characters to an API key. The caller provides the randomness. */
export const formatApiKey = (random32: string): string => formatToken(PREFIX, random32)

/** Checks format and checksum only, not whether the key exists. */
export const isWellFormedApiKey = (key: string): boolean => isWellFormedToken(PREFIX, key)
