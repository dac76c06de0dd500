import { lazyRouteComponent as lazily } from '@tanstack/react-router'
import { retryUntilReachable } from './api/retry-until-reachable.ts'

/** Loads a page's script on demand. If the server doesn't respond, the previous page stays. */
export const lazyRouteComponent: typeof lazily = (load, name) => lazily(() => retryUntilReachable(load), name)
