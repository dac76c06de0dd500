import { routes } from '@sluice/contract'

const prefix = '/values/'

/** What can offer the options of an input, as in `$values:cloud/regions`: the parameters of each provider. */
export const providers: ReadonlyMap<string, readonly string[]> = new Map(
  Object.values(routes).flatMap((route) =>
    route.path.startsWith(prefix) && 'query' in route
      ? [[route.path.slice(prefix.length), Object.keys(route.query.properties)]]
      : [],
  ),
)
