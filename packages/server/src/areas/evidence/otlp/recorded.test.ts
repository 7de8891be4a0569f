import { describe, expect, it } from 'vitest'
import {
  loggedOutcomesOf,
  OTHER_STYLES,
  outcomesOf,
  recordedLogs,
  recordedSpans,
  STYLES,
  type Style,
} from './recorded.fixture.ts'

const AGENT = 'parcel-helper'
const ENCODINGS = ['json', 'binpb'] as const

const thinking = expect.stringContaining('The customer asks where the parcel')
const answer = expect.stringContaining('Your parcel is in the depot')
const call = 'search_orders {"customer":"c-17","amount":42}'

/** Thinking, output, tools and session of each span, in the order they ended. */
const answered = {
  trace: { decision: { selected: 'search_orders' }, tools: ['search_orders'] },
  submission: {
    output: expect.stringMatching(/^Your parcel is .*\nsearch_orders \{"customer"/s),
    actions: ['search_orders'],
    taskContext: 'Where is the parcel of my second order?',
  },
}
const called = {
  trace: { action: { type: 'execute', name: 'search_orders', parameters: { amount: 42 } } },
  submission: undefined,
}

const EXPECTED: Record<Style, readonly object[]> = {
  openinference: [
    // In the order of their scopes: chat completions, streamed, Responses, and the tool.
    {
      ...answered,
      submission: { ...answered.submission, thinking: undefined, model: 'mock-large' },
    },
    { ...answered, submission: { ...answered.submission, provider: 'openai' } },
    {
      ...answered,
      submission: { ...answered.submission, thinking, extractionMethod: 'native_thinking' },
    },
    called,
  ],
  langfuse: [
    {
      ...answered,
      submission: {
        ...answered.submission,
        thinking,
        extractionMethod: 'reasoning_content',
        sessionId: 'conv-9',
        model: 'mock-large',
      },
    },
    { ...answered, submission: { ...answered.submission, sessionId: 'conv-9' } },
    called,
    { kind: 'ignored', reason: 'a step agent' },
  ],
  'genai-logs': [{ submission: undefined }, { submission: undefined }],
  current: [
    {
      trace: {
        action: {
          type: 'recommend',
          name: 'inference',
          target: { identifier: 'gpt-5-2026-08-07' },
        },
        decision: { selected: 'search_orders' },
        context: {
          session_id: 'conv-5',
          metadata: { integrity_checkpoint_id: expect.any(String) },
        },
        tools: ['search_orders'],
      },
      submission: {
        thinking,
        output: call,
        actions: ['search_orders'],
        sessionId: 'conv-5',
        extractionMethod: 'native_thinking',
        provider: 'openai',
        model: 'gpt-5-2026-08-07',
        taskContext: 'Where is the parcel of my second order?',
      },
    },
    { kind: 'ignored' },
    {
      trace: {
        action: {
          type: 'execute',
          name: 'search_orders',
          target: { type: 'function', identifier: 'call_7' },
          parameters: { amount: 42 },
        },
        context: { session_id: 'conv-5' },
        tools: ['search_orders'],
      },
      submission: undefined,
    },
    {
      trace: { decision: { selected: 'answer' }, tools: [] },
      submission: { thinking: undefined, output: answer, actions: [], sessionId: 'conv-5' },
    },
    { kind: 'ignored' },
  ],
  'events-1.36': [
    {
      trace: { tools: ['search_orders'] },
      submission: {
        thinking: undefined,
        output: expect.stringMatching(/^Your parcel is .*\nsearch_orders \{"customer"/s),
        actions: ['search_orders'],
        extractionMethod: undefined,
        sessionId: expect.stringMatching(/^otel-[0-9a-f]{32}$/),
      },
    },
  ],
  'events-1.27': [
    {
      submission: {
        thinking,
        output: answer,
        extractionMethod: 'reasoning_content',
        provider: 'mistral_ai',
        taskContext: 'Where is the parcel of my second order?',
      },
    },
  ],
  openllmetry: [
    {
      submission: {
        thinking,
        output: expect.stringMatching(/^Your parcel is .*\nsearch_orders \{"customer"/s),
        actions: ['search_orders'],
        extractionMethod: 'native_thinking',
        provider: 'Anthropic',
        model: 'claude-sonnet-4-5',
        taskContext: 'Where is the parcel of my second order?',
      },
    },
  ],
  'ai-sdk': [
    {
      trace: { tools: ['search_orders'] },
      submission: { output: expect.stringContaining(call), actions: ['search_orders'] },
    },
    {
      trace: {
        action: { type: 'execute', name: 'search_orders', parameters: { amount: 42 } },
      },
      submission: undefined,
    },
    { kind: 'ignored' },
  ],
  'no-content': [
    { trace: { decision: { selected: 'answer' } }, submission: undefined },
    { kind: 'ignored' },
  ],
}

describe('a recorded request of the OpenTelemetry SDK', () => {
  for (const style of [...STYLES, ...OTHER_STYLES, 'langfuse'] as const) {
    for (const encoding of style === 'langfuse' ? (['json'] as const) : ENCODINGS) {
      it(`becomes thinking, output, tools and session: ${style}, ${encoding}`, () => {
        const outcomes = outcomesOf(recordedSpans(style, encoding), AGENT)
        expect(outcomes).toMatchObject(EXPECTED[style])
        expect(outcomes).toHaveLength(EXPECTED[style].length)
      })
    }
  }

  for (const encoding of ENCODINGS) {
    it(`becomes checkpoints, linked to the traces of their spans: log records, ${encoding}`, () => {
      const outcomes = loggedOutcomesOf(recordedLogs(encoding), AGENT)
      const spans = outcomesOf(recordedSpans('genai-logs', encoding), AGENT)
      const traceIds = spans.map((one) => ('trace' in one ? one.trace?.trace_id : undefined))
      expect(outcomes).toMatchObject([
        {
          trace: undefined,
          submission: { ...answered.submission, traceId: traceIds[0], provider: 'openai' },
        },
        {
          trace: undefined,
          submission: { ...answered.submission, traceId: traceIds[1], thinking },
        },
      ])
    })
  }

  it('puts no text of a model or a person into the stored trace', () => {
    for (const style of [...STYLES, ...OTHER_STYLES, 'langfuse'] as const) {
      const outcomes = outcomesOf(recordedSpans(style, 'json'), AGENT)
      const traces = JSON.stringify(outcomes.map((one) => ('trace' in one ? one.trace : null)))
      expect(traces).not.toMatch(/parcel is|customer asks|second order|c-17/)
    }
  })

  it('yields the same ids for a span each time, and different ones for another agent', () => {
    const spans = recordedSpans('current', 'json')
    const ids = (agentId: string) =>
      outcomesOf(spans, agentId).flatMap((one) =>
        'trace' in one ? [one.trace?.trace_id, one.submission?.checkpointId] : [],
      )
    expect(ids(AGENT)).toEqual(ids(AGENT))
    expect(new Set([...ids(AGENT), ...ids('another')].filter(Boolean)).size).toBe(10)
    for (const id of ids(AGENT)) {
      expect(id ?? 'otel-').toMatch(
        /^(otel-|ic-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$)/,
      )
    }
  })
})
