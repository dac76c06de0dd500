import { routes } from '@sluice/contract'

const prefix = '/values/'

/** Option providers of inputs, such as `$values:cloud/regions`, with their parameters. */
export const providers: ReadonlyMap<string, readonly string[]> = new Map(
  Object.values(routes).flatMap((route) =>
    route.path.startsWith(prefix) && 'query' in route
      ? [[route.path.slice(prefix.length), Object.keys(route.query.properties)]]
      : [],
  ),
)
