import { countOf, type Fields, fieldsOf, findText, listOf, stringOf } from './answer-values.ts'
import { type Edit, listItems, parseSpan, rawText, readMembers, type Span } from './json-span.ts'
import { type ItemCall, readItemCall, readServerTool } from './openai-responses-item.ts'
import { type HeldCall, isRemoved, type TurnRecord } from './turn-record.ts'

/** The output of a response: its items, however many events report them. */
export type ResponseOutput = {
  /** Notes a whole response. Returns its calls by position. */
  readResponse(response: Fields): ReadonlyMap<number, HeldCall>
  /** The start of an item. Returns the call that it begins. */
  addItem(index: number, item: Fields): HeldCall | undefined
  /** The end of an item. Returns its call, which then is complete. */
  finishItem(index: number, item: Fields): HeldCall | undefined
  callAt(index: unknown): HeldCall | undefined
  appendArguments(call: HeldCall, text: string): void
  /** Arguments that an event gives whole; they must match the fragments. */
  checkArguments(call: HeldCall, text: string): void
  addText(key: string, text: string): void
  addThinking(key: string, text: string, kind: 'native' | 'reasoning_summary'): void
  /** Edits that replace the refused calls of a response. */
  edits(response: Span, calls: ReadonlyMap<number, HeldCall>): Edit[]
}

export function createResponseOutput(record: TurnRecord): ResponseOutput {
  const calls = new Map<unknown, HeldCall>()
  /** Complete calls by all that the client acts on, to find them in a whole response. */
  const bySignature = new Map<string, HeldCall[]>()
  const texts = createResponseTexts(record)

  function open({ callId, name, kind }: ItemCall): HeldCall {
    return record.openCall({ group: { unsettled: 0 }, choice: 0, callId, name, kind })
  }

  function complete(call: HeldCall, item: ItemCall): void {
    if (call.name !== item.name || call.callId !== item.callId) call.defect = 'inconsistent'
    record.judgeSource(call)
    checkArguments(call, item.text)
    record.complete(call)
    const key = signatureOf(item)
    const same = bySignature.get(key)
    if (same === undefined) bySignature.set(key, [call])
    else same.push(call)
  }

  function checkArguments(call: HeldCall, text: string): void {
    if (call.state !== 'open') return
    if (call.text !== '' && !text.startsWith(call.text)) call.defect = 'inconsistent'
    record.replaceArguments(call, text)
  }

  /** The call of an item of a whole response: one that was complete before, or a new one. */
  function callOf(item: ItemCall, index: number, used: Set<HeldCall>): HeldCall {
    const same = bySignature.get(signatureOf(item)) ?? []
    const known = same.find((call) => !used.has(call))
    if (known !== undefined) return known
    const begun = calls.get(index)
    const call = begun?.state === 'open' ? begun : open(item)
    complete(call, item)
    return call
  }

  return {
    callAt: (index) => calls.get(index),
    appendArguments(call, text) {
      if (call.state === 'open') record.appendArguments(call, text)
    },
    checkArguments,
    addText: texts.addText,
    addThinking: texts.addThinking,
    addItem(index, value) {
      const item = readItemCall(value)
      if (item === undefined) {
        calls.delete(index)
        return undefined
      }
      const call = open(item)
      calls.set(index, call)
      return call
    },
    finishItem(index, value) {
      const item = readItemCall(value)
      if (item === undefined) {
        texts.readItem(index, value)
        return calls.get(index)
      }
      const begun = calls.get(index)
      const call = begun?.state === 'open' ? begun : open(item)
      calls.set(index, call)
      complete(call, item)
      return call
    },
    readResponse(response) {
      readHead(record, response)
      const found = new Map<number, HeldCall>()
      const used = new Set<HeldCall>()
      for (const [index, value] of listOf(response['output']).entries()) {
        const fields = fieldsOf(value)
        const item = readItemCall(fields)
        if (item === undefined) texts.readItem(index, fields)
        else {
          const call = callOf(item, index, used)
          used.add(call)
          found.set(index, call)
        }
      }
      return found
    },
    edits(response, found) {
      const output = readMembers(response).get('output')
      if (output === undefined || ![...found.values()].some(isRemoved)) return []
      const items = listItems(output).flatMap((span, index) => {
        const call = found.get(index)
        if (call === undefined || !isRemoved(call)) return rawText(span)
        if (call.state === 'dropped') return []
        const { id } = fieldsOf(parseSpan(span))
        return JSON.stringify(refusalItem(call, id))
      })
      return [{ start: output.start, end: output.end, text: `[${items.join(',')}]` }]
    },
  }
}

/** The items that are no calls: texts, and what the provider executed. */
function createResponseTexts(record: TurnRecord) {
  /** Texts by place, so that a text that came in fragments is not read twice. */
  const texts = new Set<string>()
  const reasoned = new Set<string>()
  const serverItems = new Set<string>()

  function readTexts(index: number, item: Fields): void {
    const type = item['type']
    const parts = listOf(item['content'])
    if (type === 'message') {
      for (const [at, part] of parts.entries()) {
        const { text, refusal } = fieldsOf(part)
        addOnce(`${index}-${at}`, (key) => {
          record.addText(key, findText(text) ?? stringOf(refusal))
        })
      }
      return
    }
    if (type !== 'reasoning') return
    for (const [at, part] of listOf(item['summary']).entries()) {
      const text = stringOf(fieldsOf(part)['text'])
      addOnce(`${index}-summary-${at}`, (key) => {
        record.addThinking(key, text, 'reasoning_summary')
      })
    }
    for (const [at, part] of parts.entries()) {
      const text = stringOf(fieldsOf(part)['text'])
      addOnce(`${index}-reasoning-${at}`, (key) => record.addThinking(key, text, 'native'))
    }
    if (!reasoned.has(String(index))) record.withholdThinking()
  }

  function addOnce(key: string, add: (key: string) => void): void {
    if (!texts.has(key)) add(key)
    note(key)
  }

  function note(key: string): void {
    texts.add(key)
    reasoned.add(key.slice(0, key.indexOf('-')))
  }

  function readItem(index: number, item: Fields): void {
    readTexts(index, item)
    const name = readServerTool(item)
    if (name === undefined || serverItems.has(String(index))) return
    serverItems.add(String(index))
    record.addServerTool(name, findText(item['call_id']) ?? findText(item['id']))
  }

  return {
    readItem,
    addText(key: string, text: string): void {
      note(key)
      record.addText(key, text)
    },
    addThinking(key: string, text: string, kind: 'native' | 'reasoning_summary'): void {
      note(key)
      record.addThinking(key, text, kind)
    },
  }
}

function signatureOf({ callId, name, kind, text }: ItemCall): string {
  return JSON.stringify([callId, name, kind, text])
}

function readHead(record: TurnRecord, response: Fields): void {
  record.setIdentity(response['model'], response['id'])
  const { usage, status, error, incomplete_details } = response
  const counts = fieldsOf(usage)
  if (typeof counts['input_tokens'] === 'number') {
    record.addUsage({
      inputTokens: counts['input_tokens'],
      cachedTokens: countOf(fieldsOf(counts['input_tokens_details'])['cached_tokens']),
      outputTokens: countOf(counts['output_tokens']),
    })
    const details = fieldsOf(counts['output_tokens_details'])
    record.countReasoning(countOf(details['reasoning_tokens']))
  }
  if (status === 'completed') record.setEnd({ kind: 'finished', reason: 'completed' })
  else if (status === 'incomplete' || status === 'cancelled') {
    const reason = findText(fieldsOf(incomplete_details)['reason']) ?? status
    record.setEnd({ kind: 'finished', reason })
  } else if (status === 'failed') {
    record.setEnd({ kind: 'failed', message: stringOf(fieldsOf(error)['message']) })
  }
}

/** The message in place of a refused call. */
export function refusalItem(call: HeldCall, itemId: unknown): Fields {
  return {
    id: refusalItemId(call, itemId),
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: call.refusal, annotations: [], logprobs: [] }],
  }
}

/** Messages must have this prefix; the rest stays unique if it is that of the call. */
function refusalItemId(call: HeldCall, itemId: unknown): string {
  const [, rest] = /^[a-z]+_(.+)$/.exec(stringOf(itemId)) ?? []
  return `msg_${rest ?? `refused_${call.n}`}`
}
