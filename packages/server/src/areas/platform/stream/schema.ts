/** Only described: frames are texts, made in frame.ts. */
export const EventStream = {
  description:
    'Server-sent events until the credential or the connection ends. `event: open` comes first, or `resumed` after Last-Event-ID, or `reset` when what was missed cannot be told: read anew what you show. Then one event for each change, `data` being `{"type", "time", …}` with ids, verdict or score. `event: end` says why the service ends it. A comment every 15 seconds.',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
}
