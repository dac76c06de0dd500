import { routes } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { bundledModules } from './catalogue.ts'

/** Serves what an organization may begin with; it publishes what it takes over as its own. */
export function serveBundledModules(app: App): void {
  handle(app, routes.listBundledModules, async () => ({ data: bundledModules() }))
}
