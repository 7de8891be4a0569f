import { pino, symbols } from 'pino'
import { batchLines } from './log-lines.ts'

export type Log = pino.Logger

/**
 * The fields of an error that an operator needs. Others stay out: the detail of a database
 * error, for example, quotes row values.
 */
function describeError(err: unknown): object {
  if (!(err instanceof Error)) return { message: String(err) }
  return {
    type: err.name,
    message: err.message,
    code: 'code' in err ? err.code : undefined,
    stack: err.stack,
    cause: err.cause === undefined ? undefined : describeError(err.cause),
  }
}

/** Cached per millisecond, because many lines share one. */
function createTimestamp(): () => string {
  let at = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now === at) return text
    at = now
    text = `,"time":"${new Date(now).toISOString()}"`
    return text
  }
}

/**
 * Flushes on exit; only a kill -9 loses the last lines. A closed pipe, as after `| head`, must
 * not end the process.
 */
function openOutput() {
  const lines = batchLines(process.stdout)
  process.stdout.on('error', () => undefined)
  process.on('exit', lines.flushSync)
  return lines
}

/**
 * One JSON object per line. Never credentials, bodies, prompts or model output (spec: platform
 * §6.2).
 */
export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: null,
      messageKey: 'msg',
      timestamp: createTimestamp(),
      serializers: { err: describeError },
      formatters: { level: (label) => ({ level: label }) },
      // Defence in depth: no caller should log these fields in the first place.
      redact: {
        paths: ['*.password', '*.token', '*.secret', '*.authorization', '*.api_key', '*.key'],
        remove: true,
      },
    },
    openOutput(),
  )
}

/**
 * For the line written by every request, whose fields hold no secret: pino's redaction would
 * cost as much as answering a cached read.
 */
export function createLineWriter(log: Log, message: string): (fields: object) => void {
  const out: { write(line: string): void } = Reflect.get(log, symbols.streamSym)
  const time: () => string = Reflect.get(log, symbols.timeSym)
  return (fields) => {
    if (!log.isLevelEnabled('info')) return
    out.write(`{"level":"info"${time()},"msg":"${message}",${JSON.stringify(fields).slice(1)}\n`)
  }
}
