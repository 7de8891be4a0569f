import {
  MCP_SERVER_FORM,
  mcpToolName,
  type PinnableTool,
  readToolDefinition,
} from '@touchstone/protocol/policy'
import { type Static, Type } from 'typebox'
import { NamedObject } from '../../../http/openapi/named.ts'
import { Nullable, PageQuery } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { ReportResult, ToolReport } from './service.ts'
import type { ToolPin } from './tool-pin.ts'

const TOOLS_IN_REPORT_MAX = 500

const Server = Type.String({
  pattern: MCP_SERVER_FORM,
  description: 'the name of the MCP server in policies',
})
const AnyObject = Type.Record(Type.String(), Type.Unknown())
const Sha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'of the canonical JSON of the definition',
})

const definition = {
  name: Type.String({ minLength: 1, maxLength: 256, description: "the server's own name" }),
  description: Type.Optional(Type.String()),
  input_schema: AnyObject,
  annotations: Type.Optional(AnyObject),
}

export const ToolReportBody = NamedObject('ToolReport', {
  server: Server,
  tools: Type.Array(NamedObject('ToolDefinition', definition), {
    maxItems: TOOLS_IN_REPORT_MAX,
    description: 'as the server lists them, each with at most 64 KB of canonical JSON',
  }),
})

export const ToolReportAnswer = NamedObject('ToolReportResult', {
  server: Type.String(),
  pinned: Type.Array(Type.String(), { description: 'tools that were seen for the first time' }),
  changed: Type.Array(Type.String(), {
    description: 'reported tools with a change that nobody has accepted',
  }),
})

export const ToolPinQuery = Type.Object({
  server: Type.Optional(Server),
  changed: Type.Optional(Type.Boolean({ description: 'only tools that changed, or only others' })),
  ...PageQuery.properties,
})

export const AcceptanceBody = NamedObject('ToolPinAcceptance', {
  server: Server,
  tool: Type.String({ minLength: 1, maxLength: 256, description: "the server's own name" }),
  sha256: Sha256,
})

export const ToolPinRecord = NamedObject('ToolPin', {
  server: Type.String(),
  tool: Type.String({ description: "the server's own name" }),
  policy_tool: Type.String({ description: 'the name in policies and decisions' }),
  sha256: Type.String(),
  definition: AnyObject,
  pinned_at: Type.String(),
  pinned_by: Nullable(
    Type.String({ description: 'who accepted this definition; null if it was the first one' }),
  ),
  change: Nullable(
    NamedObject('ToolChange', {
      sha256: Type.String(),
      definition: AnyObject,
      seen_at: Type.String(),
    }),
  ),
})

export const ToolPinPage = NamedObject('ToolPinPage', {
  tool_pins: Type.Array(ToolPinRecord),
  total: Type.Integer(),
  page: Type.Integer(),
  per_page: Type.Integer(),
})

export function toReport({ server, tools }: Static<typeof ToolReportBody>): ToolReport {
  return { server, tools: tools.map((tool, at) => readTool(server, tool, at)) }
}

function readTool(server: string, input: unknown, at: number): PinnableTool {
  const read = readToolDefinition(server, input)
  if (read.ok) return read.tool
  const message = `The tool cannot be pinned: ${read.reason}.`
  throw new Problem('invalid_request', message, {
    details: [{ path: `/tools/${at}`, code: 'invalid_tool', message }],
  })
}

export function toReportAnswer(server: string, { pinned, changed }: ReportResult) {
  return { server, pinned: [...pinned], changed: [...changed] }
}

export function toToolPin(pin: ToolPin): Static<typeof ToolPinRecord> {
  const { change } = pin
  return {
    server: pin.server,
    tool: pin.tool,
    policy_tool: mcpToolName(pin.server, pin.tool),
    sha256: pin.sha256,
    definition: JSON.parse(pin.definition),
    pinned_at: pin.pinnedAt.toISOString(),
    pinned_by: pin.pinnedBy,
    change: change && {
      sha256: change.sha256,
      definition: JSON.parse(change.definition),
      seen_at: change.seenAt.toISOString(),
    },
  }
}

export function toToolPinPage({ items, total, page, perPage }: Page<ToolPin>) {
  return { tool_pins: items.map(toToolPin), total, page, per_page: perPage }
}
