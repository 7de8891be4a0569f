import { formatToken, isWellFormedToken } from './checked-token.ts'

const PREFIX = 'tgw_'

/** Completes 32 random base62 characters to the token of a connection to the model gateway. */
export const formatGatewayToken = (random32: string): string => formatToken(PREFIX, random32)

/** Checks format and checksum only, not whether the token exists. */
export const isWellFormedGatewayToken = (token: string): boolean => isWellFormedToken(PREFIX, token)
