import { type PinnableTool, readToolDefinition } from '@touchstone/protocol/policy'
import { ApiError, type Client } from '@touchstone/sdk'
import { isUnreachable } from '../failure.ts'
import { reasonOf } from '../reason.ts'

export type ToolReporterOptions = {
  client: Client
  agent: string
  /** Name of the server in policies. */
  server: string
  timeoutMs: number
  /** Calls are allowed while the service cannot be reached. */
  failOpen: boolean
  /** Registers the agent if it is unknown. */
  prepare(): Promise<void>
  note(line: string): void
}

/** Tools and bytes of one report, far below the service's limits for a request. */
const REPORT_TOOLS_MAX = 200
const REPORT_BYTES_MAX = 512 * 1024

/**
 * Reports the tools that a server lists, so that the service pins them and notices changes (spec:
 * connect §2.3). A call waits for the report of the list that the client saw before it: otherwise a
 * changed tool could be called before the service knows of the change.
 */
export function createToolReporter(options: ToolReporterOptions) {
  const { server, failOpen, note } = options
  /** Definitions that the service does not know yet, oldest first. */
  let unreported: PinnableTool[] = []
  let sending: Promise<void> | undefined
  /** Why tools cannot be called: nobody could notice a change of them. */
  const unpinnable = new Map<string, string>()
  /** The newest definitions of tools whose change nobody has accepted. */
  const changed = new Map<string, PinnableTool>()

  function noteChanges(batch: readonly PinnableTool[], names: readonly string[]): void {
    for (const tool of batch) {
      const { name } = tool.definition
      const isNew = names.includes(name) && !changed.has(name)
      if (isNew) note(`the definition of ${name} has changed since it was pinned`)
      if (names.includes(name)) changed.set(name, tool)
      else changed.delete(name)
    }
  }

  async function send(batch: readonly PinnableTool[]): Promise<void> {
    try {
      const answer = await request(options, batch)
      noteChanges(batch, answer.changed)
    } catch (err) {
      if (!(err instanceof ApiError) || err.status !== 400) throw err
      await sendEach(batch, err)
    }
  }

  /** The service rejects a batch if it rejects one of its tools. */
  async function sendEach(batch: readonly PinnableTool[], { message }: ApiError): Promise<void> {
    const [only, ...others] = batch
    if (only !== undefined && others.length === 0) unpinnable.set(only.definition.name, message)
    else for (const tool of batch) await send([tool])
  }

  async function sendAll(): Promise<void> {
    await options.prepare()
    while (unreported.length > 0) {
      const batch = firstBatch(unreported)
      await send(batch)
      unreported = unreported.slice(batch.length)
    }
  }

  /** Concurrent callers share one attempt. */
  function flush(): Promise<void> {
    sending ??= sendAll().finally(() => {
      sending = undefined
    })
    return sending
  }

  return {
    observe(tools: readonly unknown[]): void {
      const readings = tools.map((tool) => ({ name: nameOf(tool), of: read(server, tool) }))
      for (const { name } of readings) unpinnable.delete(name)
      for (const { name, of } of readings) if (!of.ok) unpinnable.set(name, of.reason)
      for (const [name, reason] of unpinnable) note(`${name} cannot be called: ${reason}`)
      unreported.push(...readings.flatMap(({ of }) => (of.ok ? [of.tool] : [])))
      flush().catch((err: unknown) => note(`the tools could not be reported: ${reasonOf(err)}`))
    },

    /** Why the tool must not be called; undefined if the service can decide about the call. */
    async refusalOf(tool: string): Promise<string | undefined> {
      // A change that was rejected meanwhile is a change again, because the server still lists it.
      const definition = changed.get(tool)
      if (definition !== undefined) unreported.push(definition)
      try {
        // A list may arrive while an earlier one is being reported.
        while (unreported.length > 0) await flush()
      } catch (err) {
        const reason = reasonOf(err)
        if (!failOpen || !isOutage(err)) return `The tools could not be reported: ${reason}`
        note(`${tool} may have changed: the tools could not be reported: ${reason}`)
      }
      const reason = unpinnable.get(tool)
      return reason && `The tool cannot be pinned: ${reason}.`
    },
  }
}

/** Whether the service cannot be reached, as opposed to refusing the report. */
function isOutage(err: unknown): boolean {
  if (err instanceof ApiError) return err.status >= 500
  return isUnreachable(err) || (err instanceof Error && err.name === 'TimeoutError')
}

function request(
  { client, agent, server, timeoutMs }: ToolReporterOptions,
  batch: readonly PinnableTool[],
) {
  return client.request('POST', '/v1/agents/{agent_id}/tool-pins', {
    params: { agent_id: agent },
    body: { server, tools: batch.map(({ definition }) => ({ ...definition })) },
    signal: AbortSignal.timeout(timeoutMs),
  })
}

function firstBatch(tools: readonly PinnableTool[]): PinnableTool[] {
  let bytes = 0
  const end = tools.findIndex(({ text }, at) => {
    bytes += text.length
    return at > 0 && (at >= REPORT_TOOLS_MAX || bytes > REPORT_BYTES_MAX)
  })
  return tools.slice(0, end === -1 ? undefined : end)
}

function read(server: string, listed: unknown) {
  const { name, description, inputSchema: input_schema, annotations } = Object(listed)
  return readToolDefinition(server, { name, description, input_schema, annotations })
}

function nameOf(listed: unknown): string {
  return String(Object(listed)['name'])
}
