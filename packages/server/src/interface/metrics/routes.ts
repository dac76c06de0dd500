import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { guard } from '../../platform/http/guard.ts'
import { type MetricsParts, measureInstallation } from './installation.ts'
import { isBearer } from './token.ts'

const path = '/metrics'

/** Serves the metrics of the process for Prometheus, to superadmins and holders of the installation's token. */
export function serveMetrics(
  app: App,
  { db, metrics, metricsToken, clock }: MetricsParts & { metricsToken: string | undefined },
): void {
  measureInstallation({ db, metrics, clock })
  const letIn = guard(app, { permission: 'caller' })
  app.servedPaths.add({ method: 'GET', path })
  app.get(path, {
    exposeHeadRoute: false,
    async onRequest(request: FastifyRequest, reply: FastifyReply) {
      if (metricsToken !== undefined && isBearer(request.headers.authorization, metricsToken)) return
      await letIn(request, reply)
      if (request.caller?.globalRole !== 'SUPERADMIN') {
        throw new ApiError(
          'forbidden',
          'Metrics cover the whole installation. They require a superadmin or the token in SLUICE_METRICS_TOKEN.',
        )
      }
    },
    async handler(_request, reply) {
      return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
    },
  })
}
