/**
 * The tools of a client that have the purpose of one of Claude Code's tools, whose names policies use
 * for all clients (ADR 0049). Tools that are not listed keep their names.
 */
export type ToolNames = Readonly<Record<string, string>>

export function canonicalTool(names: ToolNames, tool: unknown): unknown {
  return typeof tool === 'string' && Object.hasOwn(names, tool) ? names[tool] : tool
}

/** The client's own name of a tool, for samples of its input. */
export function nativeTool(names: ToolNames, tool: string): string {
  return Object.entries(names).find(([, canonical]) => canonical === tool)?.[0] ?? tool
}
