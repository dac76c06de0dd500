import { routes } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { checkReadiness, type ReadinessParts } from './readiness.ts'

export function serveHealth(app: App, parts: ReadinessParts): void {
  handle(app, routes.getLiveness, async () => ({ data: { status: 'ok' as const } }))

  handle(app, routes.getReadiness, async () => ({ data: await checkReadiness(parts) }))
}
