import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import staticFiles from '@fastify/static'
import { directory } from '@sluice/guide/directory'
import type { App } from '../../platform/http/app.ts'
import { guidePath } from '../../platform/http/guide.ts'

/** The names of built files change with their content, so that a browser never asks for one again. */
const forEver = 'public, max-age=31536000, immutable'

/** The documentation, to be read and searched, below `/docs/guide/`. Anyone may read it. */
export async function serveGuide(app: App): Promise<void> {
  const front = await readFile(join(directory, 'index.html'), 'utf8').catch(() => undefined)
  app.get('/docs/guide', async (_request, reply) => reply.redirect(guidePath))
  if (front === undefined) {
    app.get(`${guidePath}*`, async (_request, reply) => reply.type('text/html; charset=utf-8').send(notBuilt))
    return
  }
  const policy = pagePolicy(front)
  await app.register(staticFiles, {
    root: directory,
    prefix: guidePath,
    decorateReply: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header('cache-control', path.includes('/assets/') ? forEver : 'no-cache')
      if (path.endsWith('.html')) reply.header('content-security-policy', policy)
    },
  })
}

/**
 * What the pages may load and do: everything comes from here. The scripts that stand in each page, which set the
 * colours before anything is drawn, are known by their hashes.
 */
function pagePolicy(page: string): string {
  const inline = [...page.matchAll(/<script[^>]*>([^<]+)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`,
  )
  return [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(inline)].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const notBuilt = `<!doctype html>
<title>Sluice</title>
<p>The guide is not built. Run <code>npm run prepare</code> and start again; its pages are in the folder <code>docs</code>.</p>
`
