import { sha256Hex } from '@touchstone/protocol/crypto'

/** The ids that decisions and checkpoints accept. */
const SESSION_FORM = /^[A-Za-z0-9._:-]{1,128}$/
const HASH_LENGTH = 32

/**
 * The session of a turn (spec: model-gateway §2.1): the header, else the client's own field, else the session of
 * the response that is continued, else a hash of agent, model and first user message.
 */
export function sessionIdOf(turn: {
  agentId: string
  named: string | undefined
  continued: string | undefined
  ofClient: { field: string; value: string } | undefined
  model: string | undefined
  firstUserText: string
}): string {
  const { agentId, named, continued, ofClient, model = '', firstUserText } = turn
  if (named !== undefined) return accepted(agentId, 'header', named)
  // An id of the response itself names the chain only until it is known where the chain began.
  const isChain = ofClient === undefined || ofClient.field === 'previous_response_id'
  if (continued !== undefined && isChain) return continued
  if (ofClient !== undefined) return accepted(agentId, ofClient.field, ofClient.value)
  return hashed([agentId, model, firstUserText])
}

/** An id in another form is replaced by its hash, which is the same for each of its turns. */
function accepted(agentId: string, field: string, value: string): string {
  return SESSION_FORM.test(value) ? value : hashed([agentId, field, value])
}

function hashed(parts: readonly string[]): string {
  return `sess-${sha256Hex(JSON.stringify(parts)).slice(0, HASH_LENGTH)}`
}
