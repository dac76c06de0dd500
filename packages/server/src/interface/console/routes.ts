import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import staticFiles from '@fastify/static'
import { directory } from '@sluice/console/directory'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { idOf } from '../changes/position.ts'
import { currentPosition } from '../changes/store.ts'

/**
 * Content security policy of the pages: everything is loaded from this server. Styles are inline, because they change
 * at run time.
 */
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

/** Cache header of built files, whose names change with their content. */
const forEver = 'public, max-age=31536000, immutable'

/** Serves the console at `/` and below `/console/`. Anyone can load it; the API protects its data. */
export async function serveConsole(app: App, { db }: { db: Db }): Promise<void> {
  const page = await readFile(join(directory, 'index.html'), 'utf8').catch(() => notBuilt)
  await app.register(staticFiles, {
    root: directory,
    prefix: '/console/',
    wildcard: false,
    index: false,
    globIgnore: ['index.html', '**/*.br'],
    preCompressed: true,
    setHeaders: (reply, path) => {
      if (path.includes('/assets/')) reply.header('cache-control', forEver)
    },
  })
  // Every page is the same document; the application evaluates the address.
  for (const url of ['/', '/console', '/console/*']) {
    app.get(url, async (request, reply) => {
      const text = page.replace('</head>', `${await changesFrom(db)}</head>`)
      if (!isForSignedOutUsers(request.url)) reply.header('link', preloadHeader(request.url))
      return reply
        .headers({ 'cache-control': 'no-cache', 'content-security-policy': pagePolicy })
        .type('text/html; charset=utf-8')
        .send(text)
    })
  }
}

/**
 * Returns the current position of changes before the page sends any request. The page follows changes from it, and so
 * need not read again what it has just read.
 */
const changesFrom = (db: Db): Promise<string> =>
  currentPosition(db).then(
    (position) => `<meta name="changes-from" content="${idOf(position)}" />`,
    () => '',
  )

/** Pages of single records, with their paths in the API. */
const recordPages = [
  [/^\/console\/deployments\/([\w-]+)/, '/deployments'],
  [/^\/console\/instances\/([\w-]+)/, '/module-instances'],
  [/^\/console\/pipelines\/([\w-]+)/, '/pipelines'],
  [/^\/console\/runs\/([\w-]+)/, '/pipeline-runs'],
] as const

/**
 * Reports whether a page is for signed-out users. It preloads nothing, because a browser would cache the 401 response
 * and use it after the sign-in.
 */
const isForSignedOutUsers = (url: string) => /^\/console\/(sign-in|join)\b/.test(url)

/** Returns a preload header for the first request of a page, which the browser sends while the scripts are loading. */
function preloadHeader(url: string): string {
  const record = recordPages.flatMap(([page, path]) => {
    const [, id] = page.exec(url) ?? []
    return id === undefined ? [] : [`${path}/${id}`]
  })
  return ['/auth/whoami', ...record].map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`).join(', ')
}

const notBuilt = `<!doctype html>
<title>Sluice</title>
<p>The console is not built. Run <code>npm run build -w @sluice/console</code> and start again; the interface is at
<a href="/docs">/docs</a>.</p>
`
