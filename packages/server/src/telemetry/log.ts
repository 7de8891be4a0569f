import { pino } from 'pino'

export type Log = pino.Logger

/** One JSON object per line. Never credentials, bodies, prompts or model output (04 §7.2). */
export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: null,
      messageKey: 'msg',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // A net below the rule: nothing should put these into a log line in the first place.
      redact: {
        paths: ['*.password', '*.token', '*.secret', '*.authorization', '*.api_key', '*.key'],
        remove: true,
      },
    },
    pino.destination({ dest: 1, sync: false, minLength: 0 }),
  )
}
