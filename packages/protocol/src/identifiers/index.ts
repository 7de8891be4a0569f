export { formatApiKey, isWellFormedApiKey } from './api-key.ts'
export { formatGatewayToken, isWellFormedGatewayToken } from './gateway-token.ts'
export { defaultSessionId } from './session-id.ts'
