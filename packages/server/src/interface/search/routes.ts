import { routes, type SearchType, searchTypes } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import * as store from './store.ts'
import { wordsOf } from './words.ts'

const finders = {
  SERVICE: store.findServices,
  DEPLOYMENT: store.findDeployments,
  PIPELINE: store.findPipelines,
  RUN: store.findRuns,
  RESOURCE: store.findResources,
  PROJECT: store.findProjects,
  ENVIRONMENT: store.findEnvironments,
  PERSON: store.findPeople,
} as const satisfies Record<SearchType, store.Find>

export function serveSearch(app: App): void {
  handle(app, routes.search, async ({ query, caller: { organizationId }, db }) => {
    const words = wordsOf(query.q)
    if (words.length === 0) return { data: [] }
    const types = searchTypes.filter((type) => query.type === undefined || query.type.includes(type))
    const found = await Promise.all(
      types.map((type) => finders[type](db, { organizationId, words, limit: query.limit })),
    )
    return { data: found.flat() }
  })
}
