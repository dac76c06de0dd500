import { lazyRouteComponent as lazily } from '@tanstack/react-router'
import { patiently } from './api/patiently.ts'

/** Loads a page's script on demand. If the server doesn't respond, the previous page stays. */
export const lazyRouteComponent: typeof lazily = (load, name) => lazily(() => patiently(load), name)
