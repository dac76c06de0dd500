import { moduleSchema } from '../../modules/module-versions/config/published.ts'
import { pipelineSchema } from '../../pipelines/pipeline-versions/config/published.ts'
import type { App } from '../../platform/http/app.ts'

/** By name; each is served at `/schemas/<name>`. */
const schemas: Record<string, () => Record<string, unknown>> = {
  'module.json': moduleSchema,
  'pipeline.json': pipelineSchema,
}

/** JSON Schemas of what people write, for their editors. Anyone may read them. */
export function serveSchemas(app: App): void {
  for (const [name, schemaOf] of Object.entries(schemas)) {
    const path = `/schemas/${name}` as const
    const text = JSON.stringify(schemaOf())
    app.servedPaths.add({ method: 'GET', path })
    app.get(path, async (_request, reply) =>
      reply.headers({ 'content-type': 'application/schema+json', 'cache-control': 'public, max-age=3600' }).send(text),
    )
  }
}
