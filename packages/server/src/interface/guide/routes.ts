import { existsSync } from 'node:fs'
import { join } from 'node:path'
import staticFiles from '@fastify/static'
import { directory } from '@sluice/guide/directory'
import type { App } from '../../platform/http/app.ts'
import { guidePath } from '../../platform/http/guide.ts'

/** Cache policy of assets, whose names change with their content. */
const forEver = 'public, max-age=31536000, immutable'

/** Serves the documentation below `/docs/guide/`, without authentication. */
export async function serveGuide(app: App): Promise<void> {
  app.get('/docs/guide', async (_request, reply) => reply.redirect(guidePath))
  if (!existsSync(join(directory, 'index.html'))) {
    app.get(`${guidePath}*`, async (_request, reply) => reply.type('text/html; charset=utf-8').send(notBuilt))
    return
  }
  await app.register(staticFiles, {
    root: directory,
    prefix: guidePath,
    decorateReply: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header('cache-control', path.includes('/assets/') ? forEver : 'no-cache')
      if (path.endsWith('.html')) reply.header('content-security-policy', pagePolicy)
    },
  })
}

/** Content security policy of the pages: everything comes from this service. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'", // the library that draws diagrams sets styles
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const notBuilt = `<!doctype html>
<title>Sluice</title>
<p>The guide is not built. Run <code>npm run prepare</code> and start again; its pages are in the folder <code>docs</code>.</p>
`
