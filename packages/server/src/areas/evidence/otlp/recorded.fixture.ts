import { readFileSync } from 'node:fs'
import { evidenceOf, loggedEvidenceOf } from './evidence.ts'
import { readGenAiSpan } from './genai-span.ts'
import { logsOfJson } from './log-json.ts'
import { logsOfProtobuf } from './log-protobuf.ts'
import { type LogRecord, readLogRecords } from './log-record.ts'
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

/** Recorded by the SDKs of other projects. */
export const OTHER_STYLES = ['openinference', 'genai-logs'] as const

export type Style = (typeof STYLES)[number] | (typeof OTHER_STYLES)[number] | 'langfuse'

/** Requests of the OpenTelemetry SDK, byte for byte; see record.mjs there. */
export type Suffix = 'json' | 'binpb'

export function recorded(name: Style | 'genai-logs.logs', suffix: Suffix): Buffer {
  return readFileSync(new URL(`${name}.${suffix}`, FOLDER))
}

export function recordedSpans(style: Style, suffix: Suffix): Span[] {
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

export function recordedLogs(suffix: Suffix): LogRecord[] {
  const bytes = recorded('genai-logs.logs', suffix)
  return suffix === 'json' ? logsOfJson(JSON.parse(bytes.toString())) : logsOfProtobuf(bytes)
}

/** The checkpoints of the calls that log records describe. */
export function loggedOutcomesOf(records: readonly LogRecord[], agentId: string) {
  return readLogRecords(records).calls.map(({ span }) => {
    const reading = readGenAiSpan(span)
    if (reading.kind !== 'read') return reading
    const made = loggedEvidenceOf(reading.genai, agentId)
    return made?.ok === true ? made.evidence : made
  })
}
