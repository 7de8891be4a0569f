import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Hex } from '@touchstone/protocol/crypto'
import {
  type LogCheckpoint,
  type NoteKey,
  parseLogCheckpoint,
  verifyNote,
} from '@touchstone/protocol/log'
import { CliError } from '../cli-error.ts'
import { readIfExists } from '../optional-file.ts'
import { replaceDurably } from './durable-file.ts'
import { lockFolder } from './folder-lock.ts'

/** The last cosigned checkpoint of each log, in one file per log. */
export type WitnessStore = {
  latestOf(origin: string): LogCheckpoint | undefined
  /** By the hash in the address of the log. */
  textOf(originHash: string): string | undefined
  /** The checkpoint survives a power failure once this returns. */
  save(text: string): Promise<void>
  close(): Promise<void>
}

export type WitnessStoreOptions = {
  dir: string
  origins: readonly string[]
  /** Our own key: a file that it has not cosigned is not ours. */
  key: NoteKey
}

export function originHash(origin: string): string {
  return sha256Hex(origin)
}

export async function openWitnessStore(options: WitnessStoreOptions): Promise<WitnessStore> {
  const { dir, origins, key } = options
  await mkdir(dir, { recursive: true, mode: 0o700 })
  // Two processes with one folder could cosign two histories.
  const lock = await lockFolder(dir)
  const fileOf = (origin: string) => join(dir, `${originHash(origin)}.checkpoint`)
  const texts = new Map<string, string>()
  const latest = new Map<string, LogCheckpoint>()
  const remember = (text: string, checkpoint: LogCheckpoint) => {
    texts.set(originHash(checkpoint.origin), text)
    latest.set(checkpoint.origin, checkpoint)
  }
  try {
    for (const origin of origins) {
      const file = fileOf(origin)
      const text = await readIfExists(file)
      if (text !== undefined) remember(text, readStored(text, { file, origin, key }))
    }
  } catch (err) {
    await lock.release()
    throw err
  }
  return {
    latestOf: (origin) => latest.get(origin),
    textOf: (hash) => texts.get(hash),
    async save(text) {
      const parsed = parseLogCheckpoint(text)
      if (!parsed.ok) throw new Error(parsed.reason)
      await replaceDurably(fileOf(parsed.value.origin), text)
      remember(text, parsed.value)
    },
    close: lock.release,
  }
}

/** Throws for a damaged file: without it, the witness could cosign a second history. */
function readStored(
  text: string,
  { file, origin, key }: { file: string; origin: string; key: NoteKey },
): LogCheckpoint {
  const parsed = parseLogCheckpoint(text)
  const verified = parsed.ok ? verifyNote(parsed.value.note, [key]) : parsed
  if (!parsed.ok || !verified.ok || parsed.value.origin !== origin || verified.value.length === 0) {
    throw new CliError('damaged', `${file}: not a checkpoint of ${origin} cosigned by ${key.name}.`)
  }
  return parsed.value
}
