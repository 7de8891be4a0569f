import { existsSync, readdirSync, readFileSync } from 'node:fs'
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

/** Allows resources of this origin only: no inline script or style, no other host. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
}

type Asset = { file: string; type: string; body?: Promise<Buffer>; compressed?: Promise<Buffer> }

const compress = promisify(brotliCompress)

export type Dashboard = {
  routes(app: Server): void
  /** The page that says that an address does not exist; undefined for requests that ask for no page. */
  missingPage(req: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined
}

/** Paths of programs, which read errors as JSON. */
const API_PATH = /^\/(?:v1|llm|log|health|dev|\.well-known|openapi\.json|metrics)(?:[/?]|$)/

/**
 * Serves the built dashboard from memory. File names contain a hash, so that browsers can cache the
 * files permanently; the page that refers to them is revalidated each time. Undefined if the dashboard
 * is not built.
 */
export function createDashboard(): Dashboard | undefined {
  const dir = dashboardDir()
  const assets = listAssets(dir)
  const page = assets.get('/index.html')
  const paths = readPagePaths(dir)
  if (page === undefined || paths === undefined) return undefined
  assets.delete('/index.html')
  const sendPage = (req: FastifyRequest, reply: FastifyReply) =>
    sendAsset(req, reply.headers(PAGE_HEADERS), page)
  return {
    routes: (app) => addRoutes(app, { paths, assets, sendPage }),
    missingPage(req, reply) {
      const isPage = /\btext\/html\b/.test(String(req.headers.accept ?? ''))
      if (req.method !== 'GET' || !isPage || API_PATH.test(req.url)) return undefined
      return sendPage(req, reply.code(404))
    },
  }
}

type Served = {
  paths: readonly string[]
  assets: ReadonlyMap<string, Asset>
  sendPage(req: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

function addRoutes(app: Server, { paths, assets, sendPage }: Served): void {
  for (const url of paths) {
    app.get(url, { config, schema: { hide: true } }, sendPage)
  }
  for (const [url, asset] of assets) {
    const caching = url.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    app.get(url, { config, schema: { hide: true } }, (req, reply) =>
      sendAsset(req, reply.header('cache-control', caching), asset),
    )
  }
}

async function sendAsset(req: FastifyRequest, reply: FastifyReply, asset: Asset) {
  reply.type(asset.type).header('vary', 'accept-encoding')
  asset.body ??= readFile(asset.file)
  const body = await asset.body
  const acceptsBrotli = /\bbr\b/.test(String(req.headers['accept-encoding'] ?? ''))
  if (!acceptsBrotli || asset.type === TYPES['.woff2']) return reply.send(body)
  asset.compressed ??= compress(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
  return reply.header('content-encoding', 'br').send(await asset.compressed)
}

function dashboardDir(): string {
  const manifest = createRequire(import.meta.url).resolve('@touchstone/web/package.json')
  return join(dirname(manifest), 'dist')
}

/** The addresses that the dashboard's router knows, written by its build. */
function readPagePaths(dir: string): string[] | undefined {
  const file = join(dir, 'page-paths.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** The assets by path. */
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
