import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import staticFiles from '@fastify/static'
import { directory } from '@sluice/console/directory'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { idOf } from '../changes/position.ts'
import { presentPosition } from '../changes/store.ts'

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
  // Every page is the same document: the application looks at the address by itself.
  for (const url of ['/', '/console', '/console/*']) {
    app.get(url, async (request, reply) => {
      const text = page.replace('</head>', `${await changesFrom(db)}</head>`)
      if (!isForStrangers(request.url)) reply.header('link', firstAsked(request.url))
      return reply
        .headers({ 'cache-control': 'no-cache', 'content-security-policy': pagePolicy })
        .type('text/html; charset=utf-8')
        .send(text)
    })
  }
}

/**
 * Where the changes stand before the page has asked anything: it follows them from there, so that it misses none and
 * need not ask again for what it has just read. Without it the page begins with a reset, as everybody does.
 */
const changesFrom = (db: Db): Promise<string> =>
  presentPosition(db).then(
    (position) => `<meta name="changes-from" content="${idOf(position)}" />`,
    () => '',
  )

/** The pages of one record, and where the interface has it. */
const recordPages = [
  [/^\/console\/deployments\/([\w-]+)/, '/deployments'],
  [/^\/console\/instances\/([\w-]+)/, '/module-instances'],
  [/^\/console\/pipelines\/([\w-]+)/, '/pipelines'],
  [/^\/console\/runs\/([\w-]+)/, '/pipeline-runs'],
] as const

/** There a browser would keep the answer that nobody is signed in, and take it for true after the sign-in. */
const isForStrangers = (url: string) => /^\/console\/(sign-in|join)\b/.test(url)

/** What a page asks for first, as a header: a browser asks for it while the scripts of the page are on their way. */
function firstAsked(url: string): string {
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
