import { lazyRouteComponent as lazily } from '@tanstack/react-router'
import { patiently } from './api/patiently.ts'

/** A page whose script comes when it is opened. While the service is away, the page before stays and is not lost. */
export const lazyRouteComponent: typeof lazily = (load, name) => lazily(() => patiently(load), name)
