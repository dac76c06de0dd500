import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import staticFiles from '@fastify/static'
import { directory } from '@sluice/console/directory'
import type { App } from '../platform/http/app.ts'

/** What the pages may load and do: everything comes from here. Their styles are written into the page as it changes. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** The names of built files change with their content, so that a browser never asks for one again. */
const forEver = 'public, max-age=31536000, immutable'

/** The web application, at `/` and below `/console/`. Anyone may load it; what it shows, the interface guards. */
export async function serveConsole(app: App): Promise<void> {
  const page = await readFile(join(directory, 'index.html'), 'utf8').catch(() => notBuilt)
  await app.register(staticFiles, {
    root: directory,
    prefix: '/console/',
    wildcard: false,
    index: false,
    globIgnore: ['index.html'],
    setHeaders: (reply, path) => {
      if (path.includes('/assets/')) reply.header('cache-control', forEver)
    },
  })
  // Every page is the same document: the application looks at the address by itself.
  for (const url of ['/', '/console', '/console/*']) {
    app.get(url, (_request, reply) =>
      reply
        .headers({ 'cache-control': 'no-cache', 'content-security-policy': pagePolicy })
        .type('text/html; charset=utf-8')
        .send(page),
    )
  }
}

const notBuilt = `<!doctype html>
<title>Sluice</title>
<p>The console is not built. Run <code>npm run build -w @sluice/console</code> and start again; the interface is at
<a href="/docs">/docs</a>.</p>
`
