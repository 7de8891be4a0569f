import type { HookClient } from './clients.ts'
import { type Fields, fieldsOf, textOf } from './read-input.ts'

/** The clients whose transcripts contain the model's reasoning, one JSON value a line. */
const READERS: Partial<Record<HookClient, (line: Fields) => string[]>> = {
  'claude-code': claudeThinking,
  codex: codexThinking,
  'gemini-cli': geminiThinking,
}

export function hasTranscript(client: HookClient): boolean {
  return READERS[client] !== undefined
}

/** The reasoning in lines of a transcript, in order. A line that is not understood has none. */
export function thinkingIn(client: HookClient, lines: readonly string[]): string[] {
  const read = READERS[client]
  if (read === undefined) return []
  return lines.flatMap((line) => {
    const fields = fieldsOf(parsed(line))
    return fields === undefined ? [] : read(fields)
  })
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Messages of the assistant have blocks `{type: "thinking", thinking}` beside text and tool calls. */
function claudeThinking(line: Fields): string[] {
  if (line['type'] !== 'assistant') return []
  return itemsOf(fieldsOf(line['message'])?.['content']).flatMap((block) =>
    block['type'] === 'thinking' ? texts(block['thinking']) : [],
  )
}

/** Rollout lines carry response items; reasoning has summaries and, for open models, its text. */
function codexThinking(line: Fields): string[] {
  const item = fieldsOf(line['payload']) ?? line
  if (item['type'] !== 'reasoning') return []
  const content = itemsOf(item['content']).flatMap((part) => texts(part['text']))
  return content.length > 0
    ? content
    : itemsOf(item['summary']).flatMap((part) => texts(part['text']))
}

/** Messages of Gemini have `thoughts`, each with a subject and a description. */
function geminiThinking(line: Fields): string[] {
  return itemsOf(line['thoughts']).flatMap((thought) => {
    const parts = [...texts(thought['subject']), ...texts(thought['description'])]
    return parts.length === 0 ? [] : [parts.join(': ')]
  })
}

function itemsOf(value: unknown): Fields[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  return items.map(fieldsOf).filter((item) => item !== undefined)
}

function texts(value: unknown): string[] {
  const text = textOf(value)
  return text === undefined ? [] : [text]
}
