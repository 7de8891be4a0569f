import { MCP_SERVER_FORM } from '@touchstone/protocol/policy'

const FORM = new RegExp(MCP_SERVER_FORM)

/** Launchers: the program they start is named in one of the following words. */
const LAUNCHERS =
  /^(?:npx|bunx|pnpx|pnpm|yarn|npm|node|deno|bun|python3?|uvx|uv|pipx|docker|podman|env|tsx)$/
const LAUNCHER_SUBCOMMANDS = /^(?:exec|run|dlx|x|tool)$/

/**
 * The name of a server in policies: the last part of the program's name without common affixes such as
 * "mcp-server-". Derived from the command line, which the user wrote, and never from the name the
 * server reports: a server must not choose which rules apply to it.
 */
export function serverNameOf(words: readonly string[]): string {
  const programs = words.filter((word) => !word.startsWith('-') && !/^\w+=/.test(word))
  const named = programs.find(
    (word) => !LAUNCHERS.test(baseOf(word)) && !LAUNCHER_SUBCOMMANDS.test(word),
  )
  const base = baseOf(named ?? words[0] ?? '')
  const short = base
    .replace(/@[^@/]*$/, '')
    .replace(/\.(?:[cm]?[jt]s|py|exe|cmd)$/, '')
    .replace(/^(?:mcp-)?server-|-mcp-server$|^mcp-|-mcp$/, '')
  return normalise(short) || 'server'
}

function baseOf(word: string): string {
  const parts = word.replace(/^(@[^/\\]+)[/\\]/, '').split(/[/\\]/)
  return parts.at(-1) ?? ''
}

export function isServerName(name: string): boolean {
  return FORM.test(name)
}

/** The name of a server at an address: its host without common affixes, such as `mcp.` and `.com`. */
export function serverNameOfUrl({ hostname, port }: URL): string {
  const isAddress = /^[\d.]+$|^\[/.test(hostname)
  if (isAddress || hostname === 'localhost') return normalise(`local-${port || '80'}`)
  const labels = hostname.split('.').filter((label) => !/^(?:mcp|api|www)$/.test(label))
  return normalise((labels.length > 1 ? labels.slice(0, -1) : labels).join('-')) || 'server'
}

function normalise(name: string): string {
  return name.replace(/[^A-Za-z0-9.-]+/g, '-').replace(/^-+|-+$/g, '')
}
