import {
  attributesOf,
  hexOf,
  integerOf,
  itemsOfJson,
  memberOf,
  readValue,
  textOf,
} from './json-reader.ts'
import type { LogRecord, OwnRecord } from './log-record.ts'
import { fromNanos } from './span.ts'

/** An ExportLogsServiceRequest in JSON. */
export function logsOfJson(request: unknown): LogRecord[] {
  const levels = { resources: 'resourceLogs', scopes: 'scopeLogs', items: 'logRecords' }
  return itemsOfJson(request, levels, readRecord)
}

function readRecord(record: unknown, path: string): OwnRecord {
  const time = integerOf(record, 'timeUnixNano', path)
  return {
    traceId: hexOf(record, 'traceId', path),
    spanId: hexOf(record, 'spanId', path),
    eventName: textOf(record, 'eventName', path),
    timeMs: fromNanos(time === 0n ? integerOf(record, 'observedTimeUnixNano', path) : time),
    body: readValue(memberOf(record, 'body', path), `${path}/body`),
    attributes: attributesOf(record, path),
  }
}
