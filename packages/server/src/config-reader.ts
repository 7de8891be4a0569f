import { readFileSync } from 'node:fs'
import type { Hex } from '@touchstone/protocol/chain'
import { parseHosts } from './database/hosts.ts'
import { isCidr } from './egress/egress-rules.ts'
import { parseRedisAddress, type RedisAddress } from './http/limits/redis-address.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The message is for the operator and names the variable. */
export class ConfigError extends Error {}

/**
 * Adds the settings given as a file: `SECRET_KEY_FILE` names a file that contains `SECRET_KEY`, as Docker
 * and Kubernetes mount secrets.
 */
export function withFiles(env: Environment, names: readonly string[]): Environment {
  const given = names.flatMap((name) => {
    const file = env[`${name}_FILE`]
    return file === undefined || file === '' ? [] : [[name, file] as const]
  })
  const values = given.map(([name, file]) => {
    if (env[name]) throw new ConfigError(`Set ${name} or ${name}_FILE, not both.`)
    return [name, readSetting(name, file)] as const
  })
  return { ...env, ...Object.fromEntries(values) }
}

/**
 * Most editors and commands end a file with a newline, which belongs to no setting. An empty file is a
 * mistake, with which the service would run as if nothing were set, for example on another database.
 */
function readSetting(name: string, file: string): string {
  const value = readText(name, file).replace(/\r?\n$/, '')
  if (value === '') throw new ConfigError(`${name}_FILE: ${file} is empty.`)
  return value
}

function readText(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new ConfigError(`${name}_FILE: cannot read ${file}: ${String(cause)}`, { cause })
  }
}

export type Reader = ReturnType<typeof createReader>

/** Throws a ConfigError that names the variable if its value is invalid. */
export function createReader(env: Environment) {
  const text = (name: string): string | undefined => {
    const value = env[name]
    return value === undefined || value === '' ? undefined : value
  }
  const list = (name: string): string[] =>
    (text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
  return {
    text,
    list,
    /** Used in a header or a record; errors do not show the value, since it may be secret. */
    printable(name: string): string | undefined {
      const value = text(name)
      if (value === undefined || /^[\x21-\x7e]{1,512}$/.test(value)) return value
      throw new ConfigError(
        `${name} must have at most 512 printable ASCII characters, without spaces.`,
      )
    },
    /** Empty if it is not set. `form` says what the whole setting must look like. */
    /** An item that is no object has no fields. */
    jsonList(name: string, form: string): Record<string, unknown>[] {
      const items = parseJson(text(name) ?? '[]')
      if (Array.isArray(items)) return items.map((item) => Object(item))
      throw new ConfigError(form)
    },
    integer(name: string, fallback: number, range: { min: number; max: number }): number {
      const value = text(name)
      if (value === undefined) return fallback
      const number = Number(value)
      if (Number.isInteger(number) && number >= range.min && number <= range.max) return number
      throw new ConfigError(`${name} must be a whole number from ${range.min} to ${range.max}.`)
    },
    flag(name: string, fallback: boolean): boolean {
      const value = text(name)?.toLowerCase()
      if (value === undefined) return fallback
      if (['on', 'true', '1', 'yes'].includes(value)) return true
      if (['off', 'false', '0', 'no'].includes(value)) return false
      throw new ConfigError(`${name} must be on or off.`)
    },
    choice<T extends string, F extends T | undefined>(
      name: string,
      choices: readonly T[],
      fallback: F,
    ): T | F {
      const value = text(name)
      if (value === undefined) return fallback
      const found = choices.find((choice) => choice === value)
      if (found !== undefined) return found
      throw new ConfigError(`${name} must be one of ${choices.join(', ')}.`)
    },
    cidrs(name: string): string[] {
      const ranges = list(name)
      const wrong = ranges.find((range) => !isCidr(range))
      if (wrong === undefined) return ranges
      throw new ConfigError(`${name} must list ranges like 10.0.0.0/8; "${wrong}" is not a range.`)
    },
    url(name: string, protocols: readonly string[]): string | undefined {
      const value = text(name)
      if (value === undefined) return undefined
      if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value
      throw new ConfigError(`${name} must be a URL starting with ${protocols.join('// or ')}//.`)
    },
    databaseUrl(name: string): string | undefined {
      parseAddress(name, text(name), parseHosts)
      return text(name)
    },
    redis: (name: string): RedisAddress | undefined =>
      parseAddress(name, text(name), parseRedisAddress),
    key(name: string): Buffer | undefined {
      const value = text(name)
      if (value === undefined) return undefined
      const bytes = Buffer.from(value, 'base64')
      if (bytes.length === 32) return bytes
      throw new ConfigError(
        `${name} must be 32 bytes as base64. Create one: openssl rand -base64 32`,
      )
    },
    /** `bytes` bytes; errors do not show the value, since it may be secret. */
    hex(name: string, bytes: number): Hex | undefined {
      const value = text(name)?.toLowerCase()
      if (value === undefined) return undefined
      const digits = new RegExp(`^0x([0-9a-f]{${2 * bytes}})$`).exec(value)?.[1]
      if (digits !== undefined) return `0x${digits}`
      throw new ConfigError(`${name} must be 0x and ${2 * bytes} hexadecimal digits.`)
    },
    decimal(name: string, fallback: number): number {
      const value = text(name)
      if (value === undefined) return fallback
      if (/^[0-9]{1,6}(\.[0-9]{1,9})?$/.test(value) && Number(value) > 0) return Number(value)
      throw new ConfigError(`${name} must be a number above 0, such as 0.5.`)
    },
    origins(name: string): string[] {
      const origins = list(name)
      const wrong = origins.find((item) => !URL.canParse(item) || new URL(item).origin !== item)
      if (wrong === undefined) return origins
      throw new ConfigError(
        `${name} must list origins like https://x.example; "${wrong}" is not an origin.`,
      )
    },
    /** Names of headers, in lower case. */
    keyHeaders(name: string): string[] {
      const headers = list(name).map((header) => header.toLowerCase())
      const wrong = headers.find((header) => !KEY_HEADER.test(header) || NOT_KEYS.has(header))
      if (wrong === undefined && headers.length <= KEY_HEADERS_MAX) return headers
      throw new ConfigError(
        `${name} must list at most ${KEY_HEADERS_MAX} headers for keys, such as X-Mnemom-Api-Key${wrong === undefined ? '' : `; "${wrong}" is none`}.`,
      )
    },
    email: (name: string): string | undefined => emailsOf(name, [text(name) ?? ''])[0],
    emails: (name: string): string[] => emailsOf(name, list(name)),
    password(name: string): string | undefined {
      const value = text(name)
      if (value === undefined || (value.length >= 12 && value.length <= 128)) return value
      throw new ConfigError(`${name} must have 12 to 128 characters.`)
    },
    address(name: string, fallback: Address): Address | undefined {
      return readAddress(name, text(name), fallback)
    },
  }
}

/** The error of `parse` says what the value must look like, without showing it. */
export function parseAddress<T>(
  name: string,
  value: string | undefined,
  parse: (value: string) => T,
): T | undefined {
  try {
    return value === undefined ? undefined : parse(value)
  } catch (err) {
    throw new ConfigError(`${name} ${err instanceof Error ? err.message : String(err)}`)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const KEY_HEADERS_MAX = 10
/** Other headers have a meaning of their own, in HTTP or here. */
const KEY_HEADER = /^[a-z0-9-]{1,57}(key|token)$/
const NOT_KEYS: ReadonlySet<string> = new Set(['idempotency-key', 'x-impersonate-token'])

type Address = { host: string; port: number }

function readAddress(
  name: string,
  value: string | undefined,
  fallback: Address,
): Address | undefined {
  if (value === undefined) return fallback
  if (value === 'off') return undefined
  const found = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(value)
  const host = found?.[1] ?? found?.[2]
  if (host !== undefined && Number(found?.[3]) <= 65_535) return { host, port: Number(found?.[3]) }
  throw new ConfigError(`${name} must be host:port or off.`)
}

function emailsOf(name: string, given: readonly string[]): string[] {
  const emails = given.map((item) => item.trim().toLowerCase()).filter((item) => item !== '')
  const wrong = emails.find((email) => !/^[^\s@]+@[^\s@]+$/.test(email))
  if (wrong === undefined) return emails
  throw new ConfigError(`${name}: "${wrong}" is not an e-mail address.`)
}
