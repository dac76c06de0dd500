import { ApiError } from '@sluice/client'
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { client } from './api/client.ts'
import { queryClient } from './api/query-client.ts'
import { keyOf } from './api/use-operation.ts'
import { Overview } from './overview/overview.tsx'
import { Shell } from './shell/shell.tsx'
import { NotFound } from './ui/not-found.tsx'
import { RouteError } from './ui/route-error.tsx'

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: RouteError })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/console/sign-in',
  validateSearch: ({ to }: Record<string, unknown>): { to?: string } => (typeof to === 'string' ? { to } : {}),
  component: lazyRouteComponent(() => import('./sign-in/sign-in.tsx'), 'SignIn'),
})

/** Everything that only somebody who is signed in may see. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData({ queryKey: keyOf('whoami', {}), queryFn: () => client.whoami() })
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error
      throw redirect({ to: '/console/sign-in', search: { to: location.href } })
    }
  },
})

const overview = createRoute({ getParentRoute: () => shell, path: '/', component: Overview })

const environments = createRoute({
  getParentRoute: () => shell,
  path: '/console/environments',
  component: lazyRouteComponent(() => import('./environments/environments.tsx'), 'Environments'),
})

const instance = createRoute({
  getParentRoute: () => shell,
  path: '/console/instances/$id',
  component: lazyRouteComponent(() => import('./instances/instance-page.tsx'), 'InstancePage'),
})

const deployments = createRoute({
  getParentRoute: () => shell,
  path: '/console/deployments',
  component: lazyRouteComponent(() => import('./deployments/deployments.tsx'), 'Deployments'),
})

const deployment = createRoute({
  getParentRoute: () => shell,
  path: '/console/deployments/$id',
  component: lazyRouteComponent(() => import('./deployments/deployment-page.tsx'), 'DeploymentPage'),
})

const pipelines = createRoute({
  getParentRoute: () => shell,
  path: '/console/pipelines',
  component: lazyRouteComponent(() => import('./pipelines/pipelines.tsx'), 'Pipelines'),
})

const run = createRoute({
  getParentRoute: () => shell,
  path: '/console/runs/$id',
  component: lazyRouteComponent(() => import('./pipelines/run-page.tsx'), 'RunPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    shell.addChildren([overview, environments, instance, deployments, deployment, pipelines, run]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
