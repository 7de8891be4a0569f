import { onFileFinished } from '#harness/on-file-finished.ts'
import { startMockProvider } from '../../packages/server/src/demo/provider/mock-provider.ts'
import type { Turn } from '../../packages/server/src/demo/provider/turn.ts'

/**
 * A model for Claude Code that plays turns: the number of its own messages in a request picks the turn.
 * Requests without tools, such as for a title, are answered with a word.
 */
export async function startClaude(turns: readonly Turn[]) {
  const provider = await startMockProvider(({ body }) => {
    const { tools, messages } = body
    const list: unknown[] = Array.isArray(messages) ? messages : []
    const spoken = list.filter((message) => Object(message).role === 'assistant').length
    const isAside = !Array.isArray(tools) || tools.length === 0
    const turn = isAside ? undefined : turns[spoken]
    return { id: `turn${spoken}`, ...(turn ?? { parts: [{ text: 'Nothing.' }] }) }
  })
  onFileFinished(provider.close)
  return {
    env: {
      ANTHROPIC_BASE_URL: provider.url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // Otherwise it refuses some permission modes to root, which containers of CI often are.
      IS_SANDBOX: '1',
    },
    /** The results of calls in a message, with their ids. */
    resultsIn(message: { content: unknown }): string[] {
      const blocks: unknown[] = Array.isArray(message.content) ? message.content : []
      return blocks.flatMap((block) => {
        const { type, tool_use_id: id, content, is_error: isError } = Object(block)
        if (type !== 'tool_result') return []
        const text = Array.isArray(content)
          ? content.map((part) => String(Object(part).text)).join('')
          : String(content)
        return [`${id}${isError ? ' error' : ''}: ${text}`]
      })
    },
  }
}
