/** One event of the organisation's stream. */
export type StreamEvent = {
  id: string | undefined
  type: string
  data: Readonly<Record<string, unknown>>
}

export type SseParser = ReturnType<typeof createSseParser>

/** An incremental parser for server-sent events (HTML, Server-sent events). */
export function createSseParser() {
  let rest = ''
  let lastEventId: string | undefined
  return {
    /** The id of the last frame that had one, even if the frame carried no data. */
    lastEventId: () => lastEventId,
    push(piece: string): StreamEvent[] {
      // A chunk may end between the two characters of a CRLF.
      const text = rest + piece
      const whole = text.endsWith('\r') ? text.slice(0, -1) : text
      const frames = whole.replace(/\r\n?/g, '\n').split('\n\n')
      rest = (frames.pop() ?? '') + text.slice(whole.length)
      return frames.flatMap((frame) => {
        const { id, event, data } = readFields(frame)
        lastEventId = id ?? lastEventId
        return data === undefined ? [] : [{ id, type: event, data: objectOf(JSON.parse(data)) }]
      })
    },
    /** Discards the incomplete frame of a connection that broke. */
    drop(): void {
      rest = ''
    },
  }
}

type Fields = { id: string | undefined; event: string; data: string | undefined }

/** Comments and `retry` frames have no data. */
function readFields(frame: string): Fields {
  const fields: Fields = { id: undefined, event: 'message', data: undefined }
  for (const line of frame.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === 'data')
      fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`
    else if (name === 'event' || name === 'id') fields[name] = value
  }
  return fields
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
