import { createHash } from 'node:crypto'

/** The page that a browser shows after a failed sign-in: static, without scripts. */
export type SignInPage = { status: 403 | 404; html: string; policy: string }

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid; min-height: 100vh;
  place-items: center; background: light-dark(#f6f7f9, #14171c); color: light-dark(#1c2129, #e8eaee); }
main { max-width: 32rem; margin: 1rem; padding: 2rem; border-radius: 0.75rem;
  background: light-dark(#ffffff, #1c2027); border: 1px solid light-dark(#d9dde4, #343b46); }
h1 { margin: 0 0 0.75rem; font-size: 1.375rem; }
p { margin: 0 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; margin: 0 0 1.5rem;
  font-size: 0.875rem; }
dt { color: light-dark(#57606e, #a5adba); }
dd { margin: 0; overflow-wrap: anywhere; }
code { font-family: ui-monospace, monospace; }
a { color: light-dark(#2250c4, #8fb0ff); margin-right: 1.5rem; }
`

const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

export function signInPage(content: {
  status: SignInPage['status']
  /** Says what went wrong and what to do. */
  text: string
  code: string
  requestId: string
  /** Where to start again; undefined if that cannot help. */
  retryUrl: string | undefined
}): SignInPage {
  const retry =
    content.retryUrl === undefined ? '' : `<a href="${escapeHtml(content.retryUrl)}">Try again</a>`
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign-in failed</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Sign-in failed</h1>
<p>${escapeHtml(content.text)}</p>
<dl>
<dt>Error code</dt><dd><code>${escapeHtml(content.code)}</code></dd>
<dt>Request ID</dt><dd><code>${escapeHtml(content.requestId)}</code></dd>
</dl>
<p>${retry}<a href="/sign-in">Back to sign in</a></p>
</main>
</body>
</html>
`
  return { status: content.status, html, policy: POLICY }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
