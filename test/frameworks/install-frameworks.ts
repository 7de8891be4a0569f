import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages } from '../harness/install-packages.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../packages/', import.meta.url))
const MODULES = join(FOLDER, 'node_modules')

/**
 * Installs the frameworks once, and the SDK beside them as an installation from npm would be: a copy,
 * because a link would look for the frameworks in its own folder.
 */
export async function setup(): Promise<void> {
  await installPackages(FOLDER, { name: 'frameworks' })
  for (const name of ['protocol', 'sdk']) await installOwn(name)
  await copySources()
}

/**
 * Copies the sources of the SDK to where the frameworks are found, so that they are compiled with the
 * types of the frameworks in place of our declarations of them.
 */
async function copySources(): Promise<void> {
  const to = join(FOLDER, 'sdk-source')
  await rm(to, { recursive: true, force: true })
  const filter = (path: string) => !/(-package\.d|\.test)\.ts$/.test(path)
  await cp(join(PACKAGES, 'sdk', 'src'), to, { recursive: true, filter })
}

/** Copies a built package without its sources, which only this repository has. */
async function installOwn(name: string): Promise<void> {
  const from = join(PACKAGES, name)
  const to = join(MODULES, '@touchstone', name)
  await rm(to, { recursive: true, force: true })
  await mkdir(to, { recursive: true })
  await cp(join(from, 'dist'), join(to, 'dist'), { recursive: true })
  const manifest = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'))
  const isSource = (key: string) => key === 'source'
  const published = JSON.stringify(manifest, (key, value) => (isSource(key) ? undefined : value), 2)
  await writeFile(join(to, 'package.json'), published)
}
