export { agentIdSkeleton, canonicalAgentId } from './agent-id.ts'
export { formatApiKey, isWellFormedApiKey } from './api-key.ts'
export { defaultSessionId } from './session-id.ts'
