import '../../kernel/events.ts'

/** Events of the witnessed log (spec: log §4). */
declare module '../../kernel/events.ts' {
  interface EventData {
    'log.unwitnessed': { quorum: number; witnesses: readonly string[] }
  }
}
