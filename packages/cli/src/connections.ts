import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, relative } from 'node:path'
import { parseJson } from './parse-json.ts'
import { isCode } from './system-error.ts'

/** How a client on this machine reaches the service; written by "touchstone connect". */
export type Connection = {
  url: string
  api_key: string
  agent_id: string
  /** The mode of the key when it was made. */
  mode: 'enforce' | 'observe'
  /** Decides about a call that the service did not decide about. */
  on_error: 'allow' | 'block'
  /** How long the hook waits for a decision; below the time after which the client gives up. */
  timeout_ms?: number
  /** The client's configuration as connect found and left it. */
  config?: WrittenConfig
}

export type WrittenConfig = {
  file: string
  /** SHA-256 of the text that connect wrote. */
  sha256: string
  /** A copy of the file from before; null if there was none. */
  backup: string | null
}

export type Connections = Readonly<Record<string, Connection>>

type Variables = Readonly<Record<string, string | undefined>>

/** The folder of the files of the current user, which hold keys and notes of hooks. */
export function configFolder(env: Variables): string {
  const folder = process.platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME']
  const base = folder === undefined || folder === '' ? join(homedirOf(env), '.config') : folder
  return join(base, 'touchstone')
}

function homedirOf(env: Variables): string {
  const home = env['HOME']
  return home === undefined || home === '' ? homedir() : home
}

export function connectionsFile(env: Variables): string {
  return join(configFolder(env), 'connections.json')
}

/** The key of a connection: the client, and the folder of a connection of one project. */
export function connectionName(client: string, project: string | undefined): string {
  return project === undefined ? client : `${client}:${project}`
}

/** Throws if the file cannot be read or is not a connections file; empty if there is none. */
export function readConnections(file: string): Connections {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (err) {
    if (isCode(err, 'ENOENT')) return {}
    throw err
  }
  return parseConnections(text, file)
}

function parseConnections(text: string, file: string): Connections {
  const parsed = parseJson(text)
  const { connections } = Object(parsed)
  if (typeof connections !== 'object' || connections === null) throw invalid(file)
  for (const one of Object.values(connections)) if (!isConnection(one)) throw invalid(file)
  return connections as Connections
}

function isConnection(value: unknown): value is Connection {
  const { url, api_key: apiKey, agent_id: agentId, mode, on_error: onError } = Object(value)
  const isText = [url, apiKey, agentId].every((text) => typeof text === 'string')
  return (
    isText &&
    ['enforce', 'observe'].includes(mode as string) &&
    ['allow', 'block'].includes(onError as string)
  )
}

function invalid(file: string): Error {
  return new Error(`${file} is not a valid connections file`)
}

/** The connection for calls in a folder: that of the innermost project, else the user's. */
export function findConnection(
  connections: Connections,
  client: string,
  cwd: string,
): Connection | undefined {
  const prefix = connectionName(client, '')
  const projects = Object.keys(connections)
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .filter((project) => isInside(cwd, project))
    .sort((a, b) => b.length - a.length)
  return connections[connectionName(client, projects[0])]
}

function isInside(folder: string, project: string): boolean {
  const path = relative(project, folder)
  return path === '' || !(path.startsWith('..') || isAbsolute(path))
}
