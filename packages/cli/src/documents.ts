import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { isJsonObject } from '@touchstone/protocol/base'
import type { TrustedKey } from '@touchstone/protocol/evidence'
import { parseTlogPolicy, type TlogPolicy } from '@touchstone/protocol/log'
import { CliError } from './cli-error.ts'
import type { Io } from './io.ts'

/** Reads a file, or standard input if the path is `-`. */
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

/** Reads YAML or JSON, which is a subset of YAML. */
export async function readYaml(path: string, io: Pick<Io, 'stdin'>): Promise<unknown> {
  const text = await readText(path, io)
  const { parse } = await import('yaml')
  try {
    // 'silent' would return a partial document for faulty input, such as one of two duplicate keys.
    return parse(text, { logLevel: 'error' })
  } catch (err) {
    throw unreadable(path, err)
  }
}

export function openLines(path: string, io: Pick<Io, 'stdin'>): Readable {
  return path === '-' ? io.stdin : createReadStream(path)
}

/** Extracts the keys from a response of GET /v1/keys; `place` names its source in errors. */
export function parseKeys(document: unknown, place: string): readonly TrustedKey[] {
  const { keys } = isJsonObject(document) ? document : {}
  if (!Array.isArray(keys) || !keys.every(isKey)) {
    throw new CliError('unreadable', `${place}: not a response of GET /v1/keys`)
  }
  return keys
}

/** Parses a trust policy; `place` names its source in errors. */
export function parsePolicy(text: string, place: string): TlogPolicy {
  const policy = parseTlogPolicy(text)
  if (policy.ok) return policy.value
  throw new CliError('unreadable', `${place}: ${policy.reason}`)
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
  // The YAML parser appends a multi-line excerpt of the source; only its first line is printed.
  const [reason = ''] = message.split(/:?\n/)
  return new CliError('unreadable', `${path}: ${reason}`, { cause: err })
}
