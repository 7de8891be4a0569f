import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Installs the packages of a folder of tests once, and again when its package.json has changed. Scripts
 * of packages run only for those that cannot be used without, which `built` names.
 */
export async function installPackages(
  folder: string,
  { name, built = [] }: { name: string; built?: readonly string[] },
): Promise<void> {
  const manifest = await readFile(join(folder, 'package.json'))
  const wanted = createHash('sha256').update(manifest).digest('hex')
  const stamp = join(folder, 'node_modules', '.touchstone-installed')
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return
  process.stdout.write(`Installing the ${name} (once)…\n`)
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    })
  npm('install', '--ignore-scripts')
  // `npm run` passes the setting `ignore-scripts` of this repository on to npm.
  if (built.length > 0) npm('rebuild', '--ignore-scripts=false', ...built)
  await writeFile(stamp, wanted)
}
