import type { Server } from '../../../http/server.ts'

/** The page and its content security policy. */
export type Page = { body: string; policy: string }

/** Scores link to this page as their methodology_url. */
export function methodologyRoutes(app: Server, { body, policy }: Page): void {
  app.get(
    '/docs/methodology',
    { config: { access: 'public', perMinute: 60 }, schema: { hide: true } },
    async (_req, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', policy)
        .header('cache-control', 'public, max-age=300')
        .send(body),
  )
}
