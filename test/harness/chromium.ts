import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { type Browser, chromium } from 'playwright-core'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))

const decompress = promisify(brotliDecompress)

/** The path that system packages install Chromium to. */
const SYSTEM_CHROMIUM = '/usr/bin/chromium'

let shared: Promise<Browser> | undefined

/**
 * One browser for all test files of a process; their pages have contexts of their own. It ends with
 * the process.
 */
export function sharedChromium(): Promise<Browser> {
  shared ??= launchChromium()
  return shared
}

/**
 * Launches CHROMIUM_PATH if it is set, the browser of the npm package on Linux x64, or the system's
 * Chromium on other machines.
 */
async function launchChromium(): Promise<Browser> {
  const own = process.env['CHROMIUM_PATH'] ?? systemChromium()
  const dir = own === undefined ? await unpackedChromium() : undefined
  return chromium.launch({
    executablePath: own ?? join(dir ?? '', 'chromium'),
    env: {
      ...process.env,
      ...(dir === undefined
        ? {}
        : { LD_LIBRARY_PATH: join(dir, 'al2023', 'lib'), FONTCONFIG_PATH: dir }),
    },
    // Blocks requests to other hosts, including the browser's own.
    args: [
      '--no-sandbox',
      '--no-zygote',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--font-render-hinting=none',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  })
}

function systemChromium(): string | undefined {
  if (process.platform === 'linux' && process.arch === 'x64') return undefined
  if (existsSync(SYSTEM_CHROMIUM)) return SYSTEM_CHROMIUM
  throw new Error(
    'There is no Chromium package for this system: install one, or set CHROMIUM_PATH.',
  )
}

/**
 * Unpacks once into a temporary folder and renames it when complete, because other processes may be
 * doing the same.
 */
async function unpackedChromium(): Promise<string> {
  const bin = join(dirname(packageManifest()), 'bin')
  const { version } = JSON.parse(await readFile(packageManifest(), 'utf8'))
  const dir = join(CACHE, `chromium-${version}`)
  if (existsSync(dir)) return dir
  await mkdir(CACHE, { recursive: true })
  const created = await mkdtemp(join(CACHE, 'unpacking-'))
  const program = join(created, 'chromium')
  await writeFile(program, await decompress(await readFile(join(bin, 'chromium.br'))))
  await chmod(program, 0o755)
  for (const name of ['al2023', 'fonts']) {
    const archive = await decompress(await readFile(join(bin, `${name}.tar.br`)))
    await mkdir(join(created, name))
    execFileSync('tar', ['-x', '-C', join(created, name)], { input: archive })
  }
  await writeFile(join(created, 'fonts.conf'), fontsConf(dir))
  await rename(created, dir).catch(async (err) => {
    if (!existsSync(dir)) throw err
    await rm(created, { recursive: true, force: true })
  })
  return dir
}

/** Without any font, text is blank. */
function fontsConf(dir: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(dir, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(dir, 'font-cache')}</cachedir>
</fontconfig>
`
}

function packageManifest(): string {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  return join(entry.slice(0, entry.indexOf('chromium') + 'chromium'.length), 'package.json')
}
