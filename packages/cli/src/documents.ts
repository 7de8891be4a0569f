import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { isJsonObject } from '@touchstone/protocol/base'
import type { TrustedKey } from '@touchstone/protocol/evidence'
import { CliError } from './cli-error.ts'
import type { Io } from './io.ts'

/** `-` is standard input. */
export async function readText(path: string, io: Pick<Io, 'stdin'>): Promise<string> {
  try {
    return path === '-' ? await textOf(io.stdin) : await readFile(path, 'utf8')
  } catch (err) {
    throw unreadable(path, err)
  }
}

export async function readJson(path: string, io: Pick<Io, 'stdin'>): Promise<unknown> {
  const text = await readText(path, io)
  try {
    return JSON.parse(text)
  } catch (err) {
    throw unreadable(path, err)
  }
}

/** YAML, of which JSON is a part. */
export async function readYaml(path: string, io: Pick<Io, 'stdin'>): Promise<unknown> {
  const text = await readText(path, io)
  const { parse } = await import('yaml')
  try {
    // Not 'silent': that gives what is left of a text with faults, such as one of two equal keys.
    return parse(text, { logLevel: 'error' })
  } catch (err) {
    throw unreadable(path, err)
  }
}

export function openLines(path: string, io: Pick<Io, 'stdin'>): Readable {
  return path === '-' ? io.stdin : createReadStream(path)
}

/** The published keys, as GET /v1/keys gives them. */
export function keysIn(document: unknown, place: string): readonly TrustedKey[] {
  const { keys } = isJsonObject(document) ? document : {}
  if (!Array.isArray(keys) || !keys.every(isKey)) {
    throw new CliError('unreadable', `${place}: holds no keys, as GET /v1/keys gives them`)
  }
  return keys
}

function isKey(value: unknown): value is TrustedKey {
  return (
    isJsonObject(value) &&
    typeof value['key_id'] === 'string' &&
    typeof value['public_key'] === 'string'
  )
}

export function unreadable(path: string, err: unknown): CliError {
  const message = err instanceof Error ? err.message : String(err)
  // YAML shows the place below, which is for a terminal of its own.
  const [reason = ''] = message.split(/:?\n/)
  return new CliError('unreadable', `${path}: ${reason}`, { cause: err })
}
