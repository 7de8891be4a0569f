import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { EVALUATION_CONTEXTS } from '@touchstone/protocol/policy'
import { ACTION_TYPES, RISK_TOLERANCES } from '@touchstone/protocol/risk'
import { GRADES } from '@touchstone/protocol/score'
import type { Client } from '@touchstone/sdk'
import { z } from 'zod'
import { decisionTools } from './decision-tools.ts'
import {
  describeComparison,
  describeEvaluation,
  describeReputation,
  describeRisk,
  describeSearch,
  describeTeamRisk,
  describeVerification,
  explainScore,
} from './describe.ts'
import {
  COMPARISON,
  EVALUATION,
  REPUTATION,
  RISK,
  SEARCH,
  TEAM_RISK,
  VERIFICATION,
} from './output-schemas.ts'
import { toToolResult, withoutUndefined } from './tool-result.ts'

const INSTRUCTIONS = `Reputations and policies of software agents, from a Touchstone service. Scores range from 0 to 1000
and grades from AAA to CCC; NR means not rated, which is neither good nor bad. Look up an agent before
you rely on its work, and verify its reputation if it matters. Decisions about tool calls, and the calls
that wait for a person's approval, can be listed; only people approve them.`

const AGENT_ID = z.string().min(1).max(128).describe('the id of the agent')
const READ_ONLY = { readOnlyHint: true, openWorldHint: true } as const
/** Stores an assessment or an evaluation, and changes nothing else. */
const STORES_RECORD = { readOnlyHint: false, destructiveHint: false, openWorldHint: true } as const

/** Each tool calls one endpoint of the service and returns its response as data and as text. */
export function createMcpServer(client: Client, version: string): McpServer {
  const server = new McpServer({ name: 'touchstone', version }, { instructions: INSTRUCTIONS })
  reputationTools(server, client)
  directoryTools(server, client)
  governanceTools(server, client)
  decisionTools(server, client)
  return server
}

function reputationTools(server: McpServer, client: Client): void {
  const lookup = (agent_id: string) =>
    client.request('GET', '/v1/reputation/{agent_id}', { params: { agent_id } })

  server.registerTool(
    'lookup_reputation',
    {
      title: 'Look up a reputation',
      description: 'Get the score, grade, confidence and trend of one agent.',
      inputSchema: { agent_id: AGENT_ID },
      outputSchema: REPUTATION,
      annotations: READ_ONLY,
    },
    ({ agent_id }) => toToolResult(lookup(agent_id), describeReputation),
  )
  server.registerTool(
    'explain_score',
    {
      title: 'Explain a score',
      description:
        'Explain the score of an agent: its components, the points lost, and its uncertainty.',
      inputSchema: { agent_id: AGENT_ID },
      outputSchema: REPUTATION,
      annotations: READ_ONLY,
    },
    ({ agent_id }) => toToolResult(lookup(agent_id), explainScore),
  )
  server.registerTool(
    'verify_reputation',
    {
      title: 'Verify a reputation',
      description: 'Verify the certificate chain behind the score of an agent.',
      inputSchema: { agent_id: AGENT_ID },
      outputSchema: VERIFICATION,
      annotations: READ_ONLY,
    },
    ({ agent_id }) => {
      const params = { agent_id }
      const answer = client.request('GET', '/v1/reputation/{agent_id}/verify', { params })
      return toToolResult(answer, describeVerification)
    },
  )
}

function directoryTools(server: McpServer, client: Client): void {
  server.registerTool(
    'search_agents',
    {
      title: 'Search rated agents',
      description: 'Search rated agents by part of their name or id, best first.',
      inputSchema: {
        query: z.string().max(200).optional().describe('part of a name or id; default: all agents'),
        grade: z.enum(GRADES.map(({ grade }) => grade)).optional(),
        page: z.number().int().min(1).optional(),
      },
      outputSchema: SEARCH,
      annotations: READ_ONLY,
    },
    ({ query, grade, page }) => {
      const given = withoutUndefined({ q: query, grade, page })
      return toToolResult(
        client.request('GET', '/v1/reputation/search', { query: given }),
        describeSearch,
      )
    },
  )
  server.registerTool(
    'compare_reputations',
    {
      title: 'Compare reputations',
      description: 'Compare the scores and components of 2 to 10 agents.',
      inputSchema: { agent_ids: z.array(AGENT_ID).min(2).max(10) },
      outputSchema: COMPARISON,
      annotations: READ_ONLY,
    },
    ({ agent_ids }) => {
      const query = { agent_ids: agent_ids.join(',') }
      return toToolResult(
        client.request('GET', '/v1/reputation/compare', { query }),
        describeComparison,
      )
    },
  )
}

function governanceTools(server: McpServer, client: Client): void {
  server.registerTool(
    'evaluate_policy',
    {
      title: 'Evaluate a policy',
      description: 'Evaluate tools against the policy of an agent before they are used.',
      inputSchema: {
        agent_id: AGENT_ID,
        tools: z
          .array(z.string().min(1).max(256))
          .min(1)
          .max(500)
          .describe('tool names such as mcp__files__read'),
        context: z.enum(EVALUATION_CONTEXTS).optional().describe('audit ignores the grace period'),
      },
      outputSchema: EVALUATION,
      annotations: STORES_RECORD,
    },
    ({ agent_id, tools, context }) => {
      const body = { agent_id, tools, ...(context !== undefined && { context }) }
      return toToolResult(
        client.request('POST', '/v1/policies/evaluate', { body }),
        describeEvaluation,
      )
    },
  )
  const action_type = z.enum(ACTION_TYPES).describe('what the agent is about to do')
  const risk_tolerance = z.enum(RISK_TOLERANCES).optional()
  server.registerTool(
    'assess_risk',
    {
      title: 'Assess risk',
      description: 'Assess the risk of letting one agent perform an action.',
      inputSchema: {
        agent_id: AGENT_ID,
        action_type,
        risk_tolerance,
        amount: z.number().min(0).optional().describe('amount of money, with at most two decimals'),
        counterparty_id: AGENT_ID.optional(),
        use_case: z.string().max(500).optional(),
      },
      outputSchema: RISK,
      annotations: STORES_RECORD,
    },
    ({ agent_id, ...given }) => {
      const body = { agent_id, context: withoutUndefined(given) }
      return toToolResult(client.request('POST', '/v1/risk/assess', { body }), describeRisk)
    },
  )
  server.registerTool(
    'assess_team_risk',
    {
      title: 'Assess team risk',
      description: 'Assess the risk of letting several agents perform an action together.',
      inputSchema: {
        agent_ids: z.array(AGENT_ID).min(2).max(50),
        action_type,
        risk_tolerance,
        team_task: z.string().max(500).optional(),
      },
      outputSchema: TEAM_RISK,
      annotations: STORES_RECORD,
    },
    ({ agent_ids, ...given }) => {
      const body = { agent_ids, context: withoutUndefined(given) }
      return toToolResult(
        client.request('POST', '/v1/risk/assess/team', { body }),
        describeTeamRisk,
      )
    },
  )
}
