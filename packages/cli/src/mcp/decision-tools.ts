import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Client } from '@touchstone/sdk'
import { z } from 'zod'
import { DECISIONS } from '../decisions/decision-filter.ts'
import { describeApprovals, describeDecision, describeDecisions } from './describe-decisions.ts'
import { APPROVAL_LIST, DECISION, DECISION_LIST } from './output-schemas.ts'
import { toToolResult } from './tool-result.ts'

const READ_ONLY = { readOnlyHint: true, openWorldHint: true } as const

const ID = z.string().min(1).max(128)
const LIMIT = z.number().int().min(1).max(50).default(10)

/**
 * Tools to read decisions and approvals. No tool resolves an approval: an agent must not answer its own
 * question.
 */
export function decisionTools(server: McpServer, client: Client): void {
  server.registerTool(
    'list_decisions',
    {
      title: 'List decisions',
      description: 'List decisions about tool calls, newest first, with their reasons.',
      inputSchema: {
        agent_id: ID.optional(),
        session_id: ID.optional(),
        tool: z
          .string()
          .min(1)
          .max(256)
          .optional()
          .describe('a tool name, or a prefix that ends in *'),
        decision: z.array(z.enum(DECISIONS)).min(1).max(4).optional(),
        from: z.string().optional().describe('ISO 8601 with offset'),
        to: z.string().optional().describe('ISO 8601 with offset'),
        limit: LIMIT,
        cursor: z.string().max(200).optional().describe('next_cursor of the page before'),
      },
      outputSchema: DECISION_LIST,
      annotations: READ_ONLY,
    },
    (query) => toToolResult(client.request('GET', '/v1/decisions', { query }), describeDecisions),
  )
  server.registerTool(
    'get_decision',
    {
      title: 'Get a decision',
      description: 'Get one decision about a tool call, with its reasons, receipt and outcome.',
      inputSchema: { decision_id: ID.describe('such as dec-…') },
      outputSchema: DECISION,
      annotations: READ_ONLY,
    },
    ({ decision_id }) => {
      const params = { decision_id }
      const answer = client.request('GET', '/v1/decisions/{decision_id}', { params })
      return toToolResult(answer, describeDecision)
    },
  )
  server.registerTool(
    'list_approvals',
    {
      title: 'List approvals',
      description:
        'List tool calls that wait for an approval, or were approved or rejected. Only people can approve them; there is no tool for it.',
      inputSchema: {
        status: z.enum(['pending', 'approved', 'rejected', 'expired']).optional(),
        agent_id: ID.optional(),
        limit: LIMIT,
      },
      outputSchema: APPROVAL_LIST,
      annotations: READ_ONLY,
    },
    ({ status, agent_id, limit }) => {
      const query = { status, agent_id, per_page: limit }
      return toToolResult(client.request('GET', '/v1/escalations', { query }), describeApprovals)
    },
  )
}
