// Reading files, hashing, and collecting what is wrong.
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const SHOWN_MAX = 20

export function stop(reason) {
  console.error(reason)
  process.exit(2)
}

function readOptions() {
  try {
    const options = { policy: { type: 'string' }, vkey: { type: 'string' } }
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    if (positionals.length > 1 || (values.policy && values.vkey)) throw new Error('too much given')
    return { ...values, folder: positionals[0] ?? dirname(dirname(fileURLToPath(import.meta.url))) }
  } catch (err) {
    return stop(`${err.message}\nusage: node verify.mjs [--policy FILE | --vkey VKEY] [FOLDER]`)
  }
}

export const given = readOptions()
export const at = (name) => join(given.folder, ...name.split('/'))

export function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (err) {
    return stop(`${path}: ${err.message}`)
  }
}

export const sha256 = (...parts) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
export const leafHash = (bytes) => sha256(Buffer.of(0), bytes)
export const nodeHash = (left, right) => sha256(Buffer.of(1), left, right)
export const plural = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`

// RFC 8785: members sorted by name, no spaces, numbers as JavaScript writes them.
export function canonical(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`
}

export const faults = []
let hidden = 0
export const countFaults = () => faults.length + hidden

export function fault(text) {
  if (faults.length < SHOWN_MAX) faults.push(text)
  else hidden += 1
}

export async function* lines(name) {
  if (!existsSync(at(name))) {
    fault(`${name} is missing`)
    return
  }
  const reader = createInterface({ input: createReadStream(at(name)), crlfDelay: Infinity })
  let number = 0
  for await (const text of reader) {
    number += 1
    yield { text, where: `${name}:${number}` }
  }
}

export async function* records(name) {
  for await (const { text, where } of lines(name)) {
    const value = parse(text)
    if (value === undefined) fault(`${where} is not JSON`)
    else yield { value, where }
  }
}

export function parse(text) {
  try {
    const value = JSON.parse(text)
    return value !== null && typeof value === 'object' ? value : undefined
  } catch {
    return undefined
  }
}
