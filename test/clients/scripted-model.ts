import { onFileFinished } from '#harness/on-file-finished.ts'
import { startMockProvider } from '../../packages/server/src/demo/provider/mock-provider.ts'
import type { Turn } from '../../packages/server/src/demo/provider/turn.ts'

export type ScriptedModel = Awaited<ReturnType<typeof startScriptedModel>>

/**
 * A model for coding agents: the number of results of calls in a request picks the turn. Requests without
 * tools, such as for a title, are answered with a word.
 */
export async function startScriptedModel() {
  let turns: readonly Turn[] = []
  let results: readonly string[] = []
  const provider = await startMockProvider(({ body }) => {
    if (!offersTools(body)) return { parts: [{ text: 'Nothing.' }] }
    results = resultsIn(body)
    const id = `turn${results.length}`
    return { id, ...(turns[results.length] ?? { parts: [{ text: 'Done.' }] }) }
  })
  onFileFinished(provider.close)
  return {
    url: provider.url,
    play(next: readonly Turn[]) {
      turns = next
      results = []
    },
    /** The results of calls in the last request, as JSON. */
    results: () => results,
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Codex declares the tools of its newest models as an item of the input. */
function offersTools({ tools, input }: Fields): boolean {
  if (Array.isArray(tools) && tools.length > 0) return true
  return itemsOf(input).some(({ type }) => type === 'additional_tools')
}

function resultsIn({ messages, input, contents }: Fields): string[] {
  const parts = [
    ...itemsOf(messages).flatMap((message) => [message, ...itemsOf(message['content'])]),
    ...itemsOf(input),
    ...itemsOf(contents).flatMap(({ parts: own }) => itemsOf(own)),
  ]
  return parts.filter(isResult).map((part) => JSON.stringify(part))
}

function isResult({ type, role, functionResponse }: Fields): boolean {
  if (role === 'tool' || functionResponse !== undefined) return true
  return type === 'tool_result' || /^(function|custom_tool)_call_output$/.test(String(type))
}

function itemsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map((item) => Object(item)) : []
}
