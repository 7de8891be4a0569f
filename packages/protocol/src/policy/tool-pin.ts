import { canonicalJson } from '../base/canonical-json.ts'
import { isJsonObject, type JsonObject } from '../base/shape.ts'
import { sha256Hex } from '../crypto/hash.ts'
import { isToolName } from './glob.ts'

/**
 * The definition of an MCP tool, which is pinned when it is first seen (spec: connect §2.3). It has the
 * members that a model and a client rely on; titles, icons and output schemas are not part of it.
 */
export type ToolDefinition = {
  /** The server's own name of the tool. */
  name: string
  description?: string
  input_schema: JsonObject
  annotations?: JsonObject
}

export type PinnableTool = { definition: ToolDefinition; text: string; sha256: string }

export type ToolReading = { ok: true; tool: PinnableTool } | { ok: false; reason: string }

/** The longest definition, as canonical JSON. */
export const DEFINITION_BYTES_MAX = 64 * 1024

/** No two underscores, which end the server's part of a tool name in policies. */
export const MCP_SERVER_FORM = '^[A-Za-z0-9.](?:[A-Za-z0-9.-]{0,62}[A-Za-z0-9.])?$'

/** In JSON, where a backslash before the escape would make it a plain text. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/

/** The name of an MCP tool in policies and decisions. */
export function mcpToolName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`
}

/** Reads a definition and hashes its canonical JSON; the reason says why it cannot be pinned. */
export function readToolDefinition(server: string, input: unknown): ToolReading {
  const given = isJsonObject(input) ? input : {}
  const { name, description, input_schema, annotations } = given
  if (typeof name !== 'string' || !isToolName(mcpToolName(server, name))) {
    return refused('its name is not one that a policy can have')
  }
  if (description !== undefined && typeof description !== 'string') {
    return refused('its description is not a text')
  }
  if (!isJsonObject(input_schema)) return refused('its input schema is not an object')
  if (annotations !== undefined && !isJsonObject(annotations)) {
    return refused('its annotations are not an object')
  }
  const definition: ToolDefinition = {
    ...(annotations !== undefined && { annotations }),
    ...(description !== undefined && { description }),
    input_schema,
    name,
  }
  const text = canonicalTextOf(definition)
  if (text === undefined) return refused('its definition has no canonical JSON')
  if (NUL.test(text)) return refused('its definition contains a NUL character')
  if (new TextEncoder().encode(text).length > DEFINITION_BYTES_MAX) {
    return refused(`its definition has more than ${DEFINITION_BYTES_MAX / 1024} KB`)
  }
  return { ok: true, tool: { definition, text, sha256: sha256Hex(text) } }
}

function canonicalTextOf(definition: ToolDefinition): string | undefined {
  try {
    return canonicalJson(definition)
  } catch {
    return undefined
  }
}

function refused(reason: string): ToolReading {
  return { ok: false, reason }
}
