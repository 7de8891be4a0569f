import { createPrivateKey, getRandomValues } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ed25519Pkcs8, ed25519PublicKey, ed25519Signer } from '@touchstone/protocol/crypto'
import { createNoteKey, isKeyName, type NoteKey } from '@touchstone/protocol/log'
import { CliError, usageError } from '../cli-error.ts'
import { readIfExists } from '../optional-file.ts'
import { createDurably } from './durable-file.ts'

export type WitnessKey = { key: NoteKey; sign(message: string): Uint8Array; isNew: boolean }

/** Reads the private key of a witness from a PEM file (PKCS #8), or creates it on first use. */
export async function openWitnessKey(name: string, file: string): Promise<WitnessKey> {
  if (!isKeyName(name)) throw usageError('--name must have no spaces and no plus.')
  const pem = await readIfExists(file)
  const seed = pem === undefined ? getRandomValues(new Uint8Array(32)) : seedOf(pem, file)
  if (pem === undefined) {
    // The folder of the data, where the key may be as well, is created after the key.
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await createDurably(file, pemOf(seed))
  }
  const key = createNoteKey({ name, type: 'cosignature', publicKey: ed25519PublicKey(seed) })
  return { key, sign: ed25519Signer(seed), isNew: pem === undefined }
}

function pemOf(seed: Uint8Array): string {
  const encoded = Buffer.from(ed25519Pkcs8(seed)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${encoded}\n-----END PRIVATE KEY-----\n`
}

function seedOf(pem: string, file: string): Uint8Array {
  try {
    const { crv, d } = createPrivateKey(pem).export({ format: 'jwk' })
    if (crv === 'Ed25519' && d !== undefined) return new Uint8Array(Buffer.from(d, 'base64url'))
  } catch (err) {
    throw new CliError('config', `${file}: not a private key in PEM format.`, { cause: err })
  }
  throw new CliError('config', `${file}: not an Ed25519 key.`)
}
