import { routes } from '@sluice/contract'
import type { App } from '../platform/http/app.ts'
import { handle } from '../platform/http/handle.ts'

export function serveAuth(app: App): void {
  handle(app, routes.whoami, async ({ caller }) => ({ data: caller }))
}
