import { Type } from 'typebox'

const REPLAY_MAX = 50

export const StreamQuery = Type.Object({
  replay: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: REPLAY_MAX,
      default: 0,
      description: 'how many of the last decisions to send first, oldest first',
    }),
  ),
})

/** For the document only: frame.ts writes the frames. */
export const EventStream = {
  description:
    'Server-sent events until the credential expires or the connection closes. The first event is `open`; or `resumed` after Last-Event-ID; or `reset` if missed events cannot be replayed, so reload what you show. Then one event for each change, whose `data` is `{"type", "time", …}` with ids, verdict or score. `end` says why the service closes the stream. A comment is sent every 15 seconds.',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
}
