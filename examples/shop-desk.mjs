// Shared by the examples: a connection to Touchstone, an agent with its card and policy, and the
// tools of a small shop. Run `npm start` and `npm run build` in the root of this repository first.
import { readFileSync } from 'node:fs'
import { ApiError, createTouchstone } from '@touchstone/sdk'

/** Reads the environment, or the file that the service writes on its first start. */
function credentials() {
  const { TOUCHSTONE_URL: url, TOUCHSTONE_API_KEY: key } = process.env
  if (url && key) return { url, key }
  const file = new URL('../.touchstone/credentials.json', import.meta.url)
  const { base_url, api_key } = JSON.parse(readFileSync(file, 'utf8'))
  return { url: base_url, key: api_key }
}

const { url, key } = credentials()
export const baseUrl = url
export const touchstone = createTouchstone({ baseUrl: url, token: key })

/** An agent of your own, which has a policy, or the agent of the examples. */
const { TOUCHSTONE_AGENT: ownAgentId } = process.env
export const agentId = ownAgentId ?? 'example-shop-desk'

const card = {
  principal: { type: 'organization', relationship: 'delegated_authority' },
  values: { declared: ['transparency', 'honesty'] },
  autonomy_envelope: {
    bounded_actions: ['search_orders', 'refund'],
    forbidden_actions: ['share_customer_data'],
  },
  audit_commitment: { retention_days: 90, queryable: false },
}

const policy = `
meta: {schema_version: "1.0", name: Shop desk, scope: agent}
capability_mappings:
  orders: {tools: [shop_search], card_actions: [search_orders]}
  refunds: {tools: [shop_refund], card_actions: [refund]}
forbidden:
  - {pattern: shell_*, reason: No shell, severity: critical}
escalation_triggers:
  - {condition: "tool == 'shop_refund'", action: escalate, reason: Refunds need approval}
defaults: {enforcement_mode: enforce, unmapped_tool_action: block, grace_period_hours: 0}
`

/** Registers the agent of the examples, unless an earlier run already has, and sets its policy. */
export async function setUp() {
  if (ownAgentId !== undefined) return
  await touchstone.agents.create({ agent_id: agentId, name: 'Shop desk', card }).catch((error) => {
    if (!(error instanceof ApiError && error.code === 'conflict')) throw error
  })
  await touchstone.policies.put(agentId, policy)
}

/** The card action that each tool performs. */
export const actions = { shop_search: 'search_orders', shop_refund: 'refund' }

export const tools = {
  shop_search: ({ order }) => ({ order, status: 'in the depot', due: 'tomorrow' }),
  shop_refund: ({ order, amount }) => ({ order, refunded: amount }),
  shell_run: ({ command }) => `ran ${command}`,
}

/** The tools as the model sees them: name, description and JSON Schema. */
export const descriptions = [
  { name: 'shop_search', about: 'Look up an order', properties: { order: { type: 'number' } } },
  {
    name: 'shop_refund',
    about: 'Refund an order',
    properties: { order: { type: 'number' }, amount: { type: 'number' } },
  },
  { name: 'shell_run', about: 'Run a command', properties: { command: { type: 'string' } } },
].map(({ name, about, properties }) => ({
  name,
  description: about,
  schema: { type: 'object', properties, required: Object.keys(properties) },
}))
