import jsonc from 'jsonc-parser'
import type { ClientConfig, HookEntry } from './clients.ts'

/** Why a configuration cannot be edited. */
export class UneditableConfig extends Error {}

const PARSE_OPTIONS = { allowTrailingComma: true, disallowComments: false }

/**
 * The configuration with our hooks, once each; all other bytes stay as they are. Text of another hook
 * of ours, such as one of an older version, is replaced.
 */
export function withHooks(text: string | undefined, config: ClientConfig, client: string): string {
  if (config.kind === 'file') return config.text
  const given = text === undefined || text.trim() === '' ? '{}\n' : text
  const root = parse(given)
  if (isComplete(root, config, client)) return given
  let edited = removeHooks(given, client)
  if (config.version !== undefined && parse(edited)['version'] === undefined) {
    edited = set(edited, ['version'], config.version)
  }
  for (const { event, entry } of config.entries) {
    const list = hooksOf(parse(edited))[event]
    edited =
      list === undefined
        ? set(edited, ['hooks', event], [entry])
        : insert(edited, ['hooks', event], entry)
  }
  return edited
}

/** The configuration without our hooks, and without lists and members that are empty then. */
export function withoutHooks(text: string, client: string): string {
  return removeHooks(text, client)
}

/** How many hooks of others the configuration has. */
export function foreignHooks(text: string | undefined, client: string): number {
  if (text === undefined || text.trim() === '') return 0
  const lists = Object.values(hooksOf(parse(text)))
  return lists.flatMap(itemsOf).filter((entry) => !isOurs(entry, client)).length
}

type Members = Readonly<Record<string, unknown>>

function parse(text: string): Members {
  const errors: jsonc.ParseError[] = []
  const root: unknown = jsonc.parse(text, errors, PARSE_OPTIONS)
  const [error] = errors
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length
    throw new UneditableConfig(
      `line ${line}: ${jsonc.printParseErrorCode(error.error)}, so the file is no valid JSON`,
    )
  }
  if (!isObject(root)) throw new UneditableConfig('the file must contain a JSON object')
  hooksOf(root)
  return root
}

function hooksOf(root: Members): Members {
  const { hooks = {} } = root
  if (!isObject(hooks)) throw new UneditableConfig('"hooks" must be an object')
  for (const [event, list] of Object.entries(hooks)) {
    // Other members, such as switches, are the client's business.
    if (isObject(list)) throw new UneditableConfig(`"hooks.${event}" must be a list`)
  }
  return hooks
}

function isComplete(
  root: Members,
  { version, entries }: ClientConfig & { kind: 'json' },
  client: string,
): boolean {
  if (version !== undefined && root['version'] === undefined) return false
  const wanted = new Map(entries.map(({ event, entry }) => [event, JSON.stringify(entry)]))
  const ours = ownHooksOf(root, client)
  return (
    ours.length === wanted.size &&
    ours.every(({ event, entry }) => wanted.get(event) === JSON.stringify(entry))
  )
}

/** Our hooks in a configuration, whichever version of ours has written them. */
export function ownHooks(text: string, client: string): HookEntry[] {
  return ownHooksOf(parse(text), client)
}

function ownHooksOf(root: Members, client: string): HookEntry[] {
  return Object.entries(hooksOf(root)).flatMap(([event, list]) =>
    itemsOf(list)
      .filter((entry) => isOurs(entry, client))
      .map((entry) => ({ event, entry })),
  )
}

function removeHooks(text: string, client: string): string {
  let edited = text
  for (const event of Object.keys(hooksOf(parse(text)))) {
    const list = itemsOf(hooksOf(parse(edited))[event])
    const own = list.flatMap((entry, index) => (isOurs(entry, client) ? [index] : []))
    if (own.length === 0) continue
    if (own.length === list.length) edited = remove(edited, ['hooks', event])
    else for (const index of own.reverse()) edited = remove(edited, ['hooks', event, index])
  }
  const isEmptied = edited !== text && Object.keys(hooksOf(parse(edited))).length === 0
  return isEmptied ? remove(edited, ['hooks']) : edited
}

/** An entry that starts this program's hook for the client, however it is written. */
function isOurs(entry: unknown, client: string): boolean {
  const words = textsIn(entry).join(' ').replaceAll(/["']/g, '').split(/\s+/)
  return words.some((word, at) => {
    if (/touchstone-hook(\.cjs|\.cmd)?$/.test(word)) return words[at + 1] === client
    const isProgram = /touchstone(\.mjs|\.cmd)?$/.test(word)
    return isProgram && words[at + 1] === 'hook' && words[at + 2] === client
  })
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

function set(text: string, path: readonly string[], value: unknown): string {
  const { parent, missing } = nearest(text, path)
  // Members in between that do not exist are part of what is added.
  const [name = '', ...inner] = missing
  const added = inner.reduceRight<unknown>((member, key) => ({ [key]: member }), value)
  return append(text, parent, `${JSON.stringify(name)}: `, added, path.length - missing.length + 1)
}

/** The innermost object of the path that exists, and the names below it that do not. */
function nearest(text: string, path: readonly string[]): { parent: jsonc.Node; missing: string[] } {
  const root = treeOf(text)
  for (let depth = path.length - 1; depth > 0; depth -= 1) {
    const parent = jsonc.findNodeAtLocation(root, path.slice(0, depth))
    if (parent !== undefined) return { parent, missing: path.slice(depth) }
  }
  return { parent: root, missing: [...path] }
}

function insert(text: string, path: readonly string[], value: unknown): string {
  const list = jsonc.findNodeAtLocation(treeOf(text), [...path])
  if (list === undefined) throw new Error(`there is no list ${path.join('.')}`)
  return append(text, list, '', value, path.length + 1)
}

function treeOf(text: string): jsonc.Node {
  const root = jsonc.parseTree(text, [], PARSE_OPTIONS)
  if (root === undefined) throw new Error('the text was parsed before')
  return root
}

/**
 * Adds a member or an item at the end. The library would format the lines around it, too, so the text is
 * made here: only a comma after the last one and the new lines are inserted.
 */
function append(
  text: string,
  parent: jsonc.Node,
  label: string,
  value: unknown,
  depth: number,
): string {
  const { unit, eol } = styleOf(text)
  const indent = unit.repeat(depth)
  const lines = JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`)
  const last = parent.children?.at(-1)
  const close = parent.offset + parent.length - 1
  const lastEnd = last === undefined ? parent.offset + 1 : last.offset + last.length
  const between = text.slice(lastEnd, close)
  const needsComma = last !== undefined && !hasComma(between)
  const kept = between.trimEnd()
  // The closing bracket gets a line of its own, unless it has one.
  const rest = between.slice(kept.length)
  const tail = rest.includes('\n') ? rest : `${eol}${unit.repeat(depth - 1)}`
  return [
    text.slice(0, lastEnd),
    needsComma ? ',' : '',
    kept,
    `${eol}${indent}${label}${lines}`,
    tail,
    text.slice(close),
  ].join('')
}

/** Whether there is a comma outside comments. */
function hasComma(text: string): boolean {
  const scanner = jsonc.createScanner(text, true)
  scanner.scan()
  return text[scanner.getTokenOffset()] === ','
}

function remove(text: string, path: jsonc.JSONPath): string {
  return jsonc.applyEdits(text, jsonc.modify(text, path, undefined, {}))
}

/** As the file is written: its first indented line tells. */
function styleOf(text: string): { unit: string; eol: string } {
  const [, unit = '  '] = /\n([ \t]+)\S/.exec(text) ?? []
  return { unit, eol: text.includes('\r\n') ? '\r\n' : '\n' }
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
