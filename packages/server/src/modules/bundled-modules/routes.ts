import { routes } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { bundledModules } from './catalogue.ts'

/** Registers the route that lists bundled modules, which an organization can publish as its own. */
export function serveBundledModules(app: App): void {
  handle(app, routes.listBundledModules, async () => ({ data: bundledModules() }))
}
