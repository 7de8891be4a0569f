import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { EVALUATION_CONTEXTS } from '@touchstone/protocol/policy'
import { ACTION_TYPES, RISK_TOLERANCES } from '@touchstone/protocol/risk'
import { GRADES } from '@touchstone/protocol/score'
import { ApiError, type Client } from '@touchstone/sdk'
import { z } from 'zod'
import { reasonOf } from '../failure.ts'
import {
  describeComparison,
  describeEvaluation,
  describeReputation,
  describeRisk,
  describeSearch,
  describeTeamRisk,
  describeVerification,
  explainScore,
} from './words.ts'

const INSTRUCTIONS = `Ratings and rules of software agents, from a Touchstone service. Scores go from 0 to 1000 and
grades from AAA to CCC; NR is not rated, which says nothing good or bad. Look an agent up before you
rely on its work, and verify where it matters.`

const AGENT_ID = z.string().min(1).max(128).describe('the id of an agent')
const READS = { readOnlyHint: true, openWorldHint: true } as const
/** Leaves an assessment or an evaluation behind, and changes nothing. */
const RECORDS = { readOnlyHint: false, destructiveHint: false, openWorldHint: true } as const

/** Tools over one service, each an endpoint of it with its answer in words as well. */
export function createMcpServer(client: Client, version: string): McpServer {
  const server = new McpServer({ name: 'touchstone', version }, { instructions: INSTRUCTIONS })
  reputationTools(server, client)
  directoryTools(server, client)
  governanceTools(server, client)
  return server
}

function reputationTools(server: McpServer, client: Client): void {
  const lookup = (agent_id: string) =>
    client.request('GET', '/v1/reputation/{agent_id}', { params: { agent_id } })

  server.registerTool(
    'lookup_reputation',
    {
      title: 'Look up a reputation',
      description: 'The score, grade, confidence and trend of one agent.',
      inputSchema: { agent_id: AGENT_ID },
      annotations: READS,
    },
    ({ agent_id }) => answering(lookup(agent_id), describeReputation),
  )
  server.registerTool(
    'explain_score',
    {
      title: 'Explain a score',
      description: 'Why a score is what it is: its parts, what costs points, how certain it is.',
      inputSchema: { agent_id: AGENT_ID },
      annotations: READS,
    },
    ({ agent_id }) => answering(lookup(agent_id), explainScore),
  )
  server.registerTool(
    'verify_reputation',
    {
      title: 'Verify a reputation',
      description: 'Whether the chain of certificates behind a score holds.',
      inputSchema: { agent_id: AGENT_ID },
      annotations: READS,
    },
    ({ agent_id }) => {
      const params = { agent_id }
      const answer = client.request('GET', '/v1/reputation/{agent_id}/verify', { params })
      return answering(answer, describeVerification)
    },
  )
}

function directoryTools(server: McpServer, client: Client): void {
  server.registerTool(
    'search_agents',
    {
      title: 'Search rated agents',
      description: 'Rated agents by a part of their name or id, the best first.',
      inputSchema: {
        query: z.string().max(200).optional().describe('a part of name or id; all without'),
        grade: z.enum(GRADES.map(({ grade }) => grade)).optional(),
        page: z.number().int().min(1).optional(),
      },
      annotations: READS,
    },
    ({ query, grade, page }) => {
      const given = withoutUndefined({ q: query, grade, page })
      return answering(
        client.request('GET', '/v1/reputation/search', { query: given }),
        describeSearch,
      )
    },
  )
  server.registerTool(
    'compare_reputations',
    {
      title: 'Compare reputations',
      description: 'Scores and their parts of 2 to 10 agents side by side.',
      inputSchema: { agent_ids: z.array(AGENT_ID).min(2).max(10) },
      annotations: READS,
    },
    ({ agent_ids }) => {
      const query = { agent_ids: agent_ids.join(',') }
      return answering(
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
      description: 'What the policy of an agent says of the use of tools, before they are used.',
      inputSchema: {
        agent_id: AGENT_ID,
        tools: z
          .array(z.string().min(1).max(256))
          .min(1)
          .max(500)
          .describe('names such as mcp__files__read'),
        context: z.enum(EVALUATION_CONTEXTS).optional().describe('audit judges without grace'),
      },
      annotations: RECORDS,
    },
    ({ agent_id, tools, context }) => {
      const body = { agent_id, tools, ...(context !== undefined && { context }) }
      return answering(
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
      description: 'How risky it is to let one agent do something.',
      inputSchema: {
        agent_id: AGENT_ID,
        action_type,
        risk_tolerance,
        amount: z.number().min(0).optional().describe('of money, at most two decimals'),
        counterparty_id: AGENT_ID.optional(),
        use_case: z.string().max(500).optional(),
      },
      annotations: RECORDS,
    },
    ({ agent_id, ...given }) => {
      const body = { agent_id, context: withoutUndefined(given) }
      return answering(client.request('POST', '/v1/risk/assess', { body }), describeRisk)
    },
  )
  server.registerTool(
    'assess_team_risk',
    {
      title: 'Assess the risk of a team',
      description: 'How risky it is to let several agents do something together.',
      inputSchema: {
        agent_ids: z.array(AGENT_ID).min(2).max(50),
        action_type,
        risk_tolerance,
        team_task: z.string().max(500).optional(),
      },
      annotations: RECORDS,
    },
    ({ agent_ids, ...given }) => {
      const body = { agent_ids, context: withoutUndefined(given) }
      return answering(client.request('POST', '/v1/risk/assess/team', { body }), describeTeamRisk)
    },
  )
}

/** Optional members that were left out must not be there at all. */
type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> }

function withoutUndefined<T extends object>(given: T): Present<T> {
  return Object.fromEntries(
    Object.entries(given).filter(([, one]) => one !== undefined),
  ) as Present<T>
}

/** An answer in words and as data; what the service refuses is a tool error, which models read. */
async function answering<T extends object>(
  answer: Promise<T>,
  words: (value: T) => string,
): Promise<CallToolResult> {
  let value: T
  try {
    value = await answer
  } catch (err) {
    const text =
      err instanceof ApiError
        ? `${err.message} (${err.code})`
        : `The service does not answer: ${reasonOf(err)}`
    return { content: [{ type: 'text', text }], isError: true }
  }
  const given: object = value
  return { content: [{ type: 'text', text: words(value) }], structuredContent: { ...given } }
}
