import { readFileSync } from 'node:fs'

const PACKAGE = new URL('../package.json', import.meta.url)

/** The command that installs packages which are not installed by default, in versions that work. */
export function installCommand(names: readonly string[]): string {
  // The cast is safe, because the file is part of this package.
  const { peerDependencies } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as {
    peerDependencies: Readonly<Record<string, string>>
  }
  const wanted = names.map((name) => `${name}@${peerDependencies[name]?.replace('^', '')}`)
  return `npm install ${wanted.join(' ')}`
}

/** Whether an import failed because one of the packages is not installed. */
export function isNotInstalled(err: unknown, names: readonly string[]): boolean {
  if (!(err instanceof Error) || !('code' in err) || err.code !== 'ERR_MODULE_NOT_FOUND')
    return false
  return names.some((name) => err.message.includes(`'${name}'`))
}
