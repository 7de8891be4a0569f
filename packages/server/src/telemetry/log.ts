import { pino, symbols } from 'pino'
import { batchLines } from './log-lines.ts'

export type Log = pino.Logger

/**
 * What an operator needs of an error. Other fields stay out: a database error's detail, for one,
 * quotes the values of rows.
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

/** Many lines are of the same millisecond. */
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
 * What is left when the process ends is written then; only a kill -9 loses the last of it. Nobody
 * may be there to read, as after `| head`, which is no reason to end.
 */
function openOutput() {
  const lines = batchLines(process.stdout)
  process.stdout.on('error', () => undefined)
  process.on('exit', lines.flushSync)
  return lines
}

/** One JSON object per line. Never credentials, bodies, prompts or model output (04 §7.2). */
export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: null,
      messageKey: 'msg',
      timestamp: createTimestamp(),
      serializers: { err: describeError },
      formatters: { level: (label) => ({ level: label }) },
      // A net below the rule: nothing should put these into a log line in the first place.
      redact: {
        paths: ['*.password', '*.token', '*.secret', '*.authorization', '*.api_key', '*.key'],
        remove: true,
      },
    },
    openOutput(),
  )
}

/**
 * For a line that every request writes, of fields that hold no secret: the usual way looks for some,
 * and costs as much as answering a cached read.
 */
export function createLineWriter(log: Log, message: string): (fields: object) => void {
  const out: { write(line: string): void } = Reflect.get(log, symbols.streamSym)
  const time: () => string = Reflect.get(log, symbols.timeSym)
  return (fields) => {
    if (!log.isLevelEnabled('info')) return
    out.write(`{"level":"info"${time()},"msg":"${message}",${JSON.stringify(fields).slice(1)}\n`)
  }
}
