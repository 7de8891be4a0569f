import { readFileSync } from 'node:fs'
import { evidenceOf } from './evidence.ts'
import { readGenAiSpan } from './genai-span.ts'
import type { Span } from './span.ts'
import { spansOfJson } from './span-json.ts'
import { spansOfProtobuf } from './span-protobuf.ts'

const FOLDER = new URL('../../../../../../test/fixtures/otlp/', import.meta.url)

export const STYLES = [
  'current',
  'events-1.36',
  'events-1.27',
  'openllmetry',
  'ai-sdk',
  'no-content',
] as const

export type Style = (typeof STYLES)[number]

/** Requests of the OpenTelemetry SDK, byte for byte; see record.mjs there. */
export function recorded(style: Style, suffix: 'json' | 'binpb'): Buffer {
  return readFileSync(new URL(`${style}.${suffix}`, FOLDER))
}

export function recordedSpans(style: Style, suffix: 'json' | 'binpb'): Span[] {
  const bytes = recorded(style, suffix)
  return suffix === 'json' ? spansOfJson(JSON.parse(bytes.toString())) : spansOfProtobuf(bytes)
}

/** The evidence of each span for an agent, or the reason why there is none. */
export function outcomesOf(spans: readonly Span[], agentId: string) {
  return spans.map((span) => {
    const reading = readGenAiSpan(span)
    if (reading.kind !== 'read') return reading
    const made = evidenceOf(reading.genai, agentId)
    return made.ok ? made.evidence : { kind: 'refused' as const, reason: made.reason }
  })
}
