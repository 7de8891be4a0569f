import { escalationsIn, type ToolContext } from './adk-escalations.ts'

type Tool = {
  checkRequireConfirmation(args: unknown, context: ToolContext): Promise<boolean>
  runAsync(request: { toolContext: ToolContext }): Promise<unknown>
}
type LlmAgent = { canonicalTools(context: unknown): Promise<Tool[]> }
type Agent = { subAgents?: readonly object[] }

const gatedAgents = new WeakSet<object>()
const gatedTools = new WeakSet<object>()
const startedCalls = new WeakSet<ToolContext>()

/**
 * ADK 2.0 resumes a confirmed call only if the tool itself demands confirmations, also if a plugin
 * has requested this one (`confirmation_not_required`). So the tools of an agent and its subagents demand
 * one for the calls that wait for an approval, and for no others.
 */
export function gateConfirmations(agent: Agent | undefined): void {
  for (const subAgent of agent?.subAgents ?? []) gateConfirmations(subAgent)
  if (agent !== undefined) gateTools(agent)
}

function gateTools(agent: Agent): void {
  if (!hasTools(agent) || gatedAgents.has(agent)) return
  gatedAgents.add(agent)
  const { canonicalTools } = agent
  agent.canonicalTools = async (context) => {
    const tools = await canonicalTools.call(agent, context)
    tools.forEach(gateTool)
    return tools
  }
}

/**
 * Whether an allowed call reached its tool: a later plugin or a callback of the agent can answer it
 * instead. True for tools that ADK adds itself, which are not gated.
 */
export function wasStarted(tool: object, context: ToolContext): boolean {
  return startedCalls.has(context) || !gatedTools.has(tool)
}

function gateTool(tool: Tool): void {
  if (gatedTools.has(tool)) return
  gatedTools.add(tool)
  const { checkRequireConfirmation, runAsync } = tool
  tool.runAsync = (request) => {
    startedCalls.add(request.toolContext)
    return runAsync.call(tool, request)
  }
  tool.checkRequireConfirmation = async (args, context) =>
    escalationsIn(context).has(context.functionCallId) ||
    checkRequireConfirmation.call(tool, args, context)
}

function hasTools(agent: object): agent is LlmAgent {
  return typeof Object(agent).canonicalTools === 'function'
}
