import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { ed25519PublicKey, signEd25519 } from '@touchstone/protocol/crypto'
import {
  cosignedMessage,
  createNoteKey,
  judgeAddCheckpoint,
  type LogHead,
  type NoteKey,
  parseAddCheckpoint,
  parseLogCheckpoint,
  signatureLine,
  writeCosignature,
  writeVkey,
} from '@touchstone/protocol/log'
import { listen } from './listen.ts'

type Reply = { status: number; body?: string }

export type LogWitness = {
  setting: { name: string; vkey: string; url: string }
  key: NoteKey
  /** The checkpoint that it knows. */
  latest(): LogHead | undefined
  /** The number of requests so far. */
  asked(): number
  forget(): void
  /** Changes what it does, from the next request on; undefined: what a witness should. */
  behave(how: ((honest: () => Reply, res: ServerResponse) => Reply | undefined) | undefined): void
}

/** A witness over HTTP that trusts the key of whichever log asks first. */
export async function startLogWitness(name: string, logKey: () => Promise<NoteKey>) {
  const seed = new Uint8Array(32).fill(name.length + (name.charCodeAt(name.length - 1) % 97))
  const publicKey = ed25519PublicKey(seed)
  const key = createNoteKey({ name: `${name}.example`, type: 'cosignature', publicKey })
  let latest: LogHead | undefined
  let asked = 0
  let behaviour: Parameters<LogWitness['behave']>[0]

  const cosign = (body: string): string => {
    const time = Math.floor(Date.now() / 1000)
    const signature = signEd25519(cosignedMessage(body, time), seed)
    const written = writeCosignature({ time, signature })
    return signatureLine({ name: key.name, keyId: key.id, signature: written })
  }

  const judge = (request: string, own: NoteKey): Reply => {
    const parsed = parseAddCheckpoint(request)
    if (!parsed.ok) return { status: 400, body: parsed.reason }
    const judged = judgeAddCheckpoint(parsed.value, {
      keysOf: (origin) => (origin === own.name ? [own] : []),
      latestOf: () => latest,
    })
    if (judged.status === 409) return { status: 409, body: `${judged.size}\n` }
    if (judged.status !== 200) return { status: judged.status, body: judged.reason }
    latest = judged.checkpoint
    return { status: 200, body: cosign(judged.checkpoint.body) }
  }

  const server = createServer(async (req, res) => {
    asked += 1
    const request = await text(req)
    const own = await logKey()
    const honest = () => judge(request, own)
    const reply = behaviour === undefined ? honest() : behaviour(honest, res)
    if (reply !== undefined) res.writeHead(reply.status).end(reply.body)
  })
  const port = await listen(server)
  const witness: LogWitness = {
    setting: { name, vkey: writeVkey(key), url: `http://127.0.0.1:${port}/` },
    key,
    latest: () => latest,
    asked: () => asked,
    forget: () => {
      latest = undefined
    },
    behave: (how) => {
      behaviour = how
    },
  }
  return witness
}

/** The size of a checkpoint. */
export function sizeOf(checkpoint: string): number {
  const parsed = parseLogCheckpoint(checkpoint)
  if (!parsed.ok) throw new Error(parsed.reason)
  return parsed.value.size
}
