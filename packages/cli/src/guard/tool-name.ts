/** Programs that only start another one, which is named after them. */
const STARTERS =
  /^(?:npx|bunx|pnpx|pnpm|yarn|npm|node|deno|bun|python3?|uvx|uv|pipx|docker|podman|env|tsx)$/
const STARTER_WORDS = /^(?:exec|run|dlx|x|tool)$/

/**
 * What policies call a server: the last part of the program's name, without what nearly all names
 * have in common. From the command line, which its user wrote, and never from what the server says
 * of itself: a server must not choose which rules hold for it.
 */
export function serverNameOf(words: readonly string[]): string {
  const programs = words.filter((word) => !word.startsWith('-') && !/^\w+=/.test(word))
  const named = programs.find((word) => !STARTERS.test(baseOf(word)) && !STARTER_WORDS.test(word))
  const base = baseOf(named ?? words[0] ?? '')
  const short = base
    .replace(/@[^@/]*$/, '')
    .replace(/\.(?:[cm]?[jt]s|py|exe|cmd)$/, '')
    .replace(/^(?:mcp-)?server-|-mcp-server$|^mcp-|-mcp$/, '')
  return cleaned(short) || 'server'
}

function baseOf(word: string): string {
  const parts = word.replace(/^(@[^/\\]+)[/\\]/, '').split(/[/\\]/)
  return parts.at(-1) ?? ''
}

/** The form of policies' tool names; two underscores would end the server's part. */
export function toolNameOf(server: string, tool: string): string {
  return `mcp__${server}__${tool}`
}

export function isServerName(name: string): boolean {
  return name !== '' && name === cleaned(name) && name.length <= 64
}

function cleaned(name: string): string {
  return name.replace(/[^A-Za-z0-9.-]+/g, '-').replace(/^-+|-+$/g, '')
}
