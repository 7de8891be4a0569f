import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Server } from './server.ts'

const config = { access: 'public', perMinute: 'unlimited' } as const

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Nothing but what this process serves: no script or style written into the page, no other host. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
}

/** Where the dashboard's own router takes over. */
const PAGES = [
  '/',
  '/directory',
  '/methodology',
  '/verify',
  '/a/*',
  '/t/*',
  '/o/*',
  '/sign-in',
  '/sign-in/*',
  '/sign-up',
  '/invitation',
  '/password-reset',
]

type Asset = { file: string; type: string; body?: Promise<Buffer>; small?: Promise<Buffer> }

const compress = promisify(brotliCompress)

/**
 * The dashboard as it was built, from memory. Its files bear their hash in their names, so that a
 * browser keeps them for good; the page that names them is asked for each time. False where nobody
 * has built it: then there is none.
 */
export function dashboardRoutes(app: Server): boolean {
  const assets = listAssets(dashboardDir())
  const page = assets.get('/index.html')
  if (page === undefined) return false
  assets.delete('/index.html')
  for (const url of PAGES) {
    app.get(url, { config, schema: { hide: true } }, (req, reply) =>
      sendAsset(req, reply.headers(PAGE_HEADERS), page),
    )
  }
  for (const [url, asset] of assets) {
    const kept = url.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    app.get(url, { config, schema: { hide: true } }, (req, reply) =>
      sendAsset(req, reply.header('cache-control', kept), asset),
    )
  }
  return true
}

async function sendAsset(req: FastifyRequest, reply: FastifyReply, asset: Asset) {
  reply.type(asset.type).header('vary', 'accept-encoding')
  asset.body ??= readFile(asset.file)
  const body = await asset.body
  const takesBrotli = /\bbr\b/.test(String(req.headers['accept-encoding'] ?? ''))
  if (!takesBrotli || asset.type === TYPES['.woff2']) return reply.send(body)
  asset.small ??= compress(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
  return reply.header('content-encoding', 'br').send(await asset.small)
}

function dashboardDir(): string {
  const manifest = createRequire(import.meta.url).resolve('@touchstone/web/package.json')
  return join(dirname(manifest), 'dist')
}

/** By their addresses. */
function listAssets(dir: string): Map<string, Asset> {
  if (!existsSync(dir)) return new Map()
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
  return new Map(
    files.flatMap((entry) => {
      const file = join(entry.parentPath, entry.name)
      const type = TYPES[extname(entry.name)]
      if (!entry.isFile() || type === undefined) return []
      return [[file.slice(dir.length).replaceAll('\\', '/'), { file, type }] as const]
    }),
  )
}
