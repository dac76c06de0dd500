import type { App } from '../../platform/http/app.ts'
import { schemaKinds, schemaOf } from './configs.ts'

/** Serves the JSON Schemas of files for editors at `/schemas/<kind>.json`. Anyone can read them. */
export function serveSchemas(app: App): void {
  for (const kind of schemaKinds) {
    const path = `/schemas/${kind}.json` as const
    const text = JSON.stringify(schemaOf(kind))
    app.servedPaths.add({ method: 'GET', path })
    app.get(path, async (_request, reply) =>
      reply.headers({ 'content-type': 'application/schema+json', 'cache-control': 'public, max-age=3600' }).send(text),
    )
  }
}
