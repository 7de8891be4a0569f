import { ed25519PublicKey, ed25519Signer } from '../crypto/signature.ts'
import { cosignedMessage, writeCosignature } from './cosignature.ts'
import { createNoteKey, type KeyType } from './note-key.ts'
import { signatureLine } from './signed-note.ts'
import { type StoredTile, type TileReader, tilePath } from './tile.ts'

/** A key whose seed is one repeated byte. */
export function testKey(name: string, type: KeyType, fill: number) {
  const seed = new Uint8Array(32).fill(fill)
  const key = createNoteKey({ name, type, publicKey: ed25519PublicKey(seed) })
  return { key, sign: ed25519Signer(seed) }
}
export type TestKey = ReturnType<typeof testKey>

/** The signature line of a witness. */
export function cosign(body: string, { key, sign }: TestKey, time: number): string {
  const signature = writeCosignature({ time, signature: sign(cosignedMessage(body, time)) })
  return signatureLine({ name: key.name, keyId: key.id, signature })
}

/** Tiles in memory. Reading one that was not stored is an error. */
export function tileStore() {
  const stored = new Map<string, Uint8Array>()
  const reads: string[] = []
  const read: TileReader = async (tile) => {
    const bytes = stored.get(tilePath(tile))
    if (bytes === undefined) throw new Error(`no ${tilePath(tile)}`)
    reads.push(tilePath(tile))
    return bytes
  }
  return {
    stored,
    reads,
    read,
    store(tiles: readonly StoredTile[]) {
      for (const { tile, bytes } of tiles) stored.set(tilePath(tile), bytes)
    },
  }
}
