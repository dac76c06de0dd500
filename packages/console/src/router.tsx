import { ApiError } from '@sluice/client'
import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { activityNames } from './activity/activity-filters.ts'
import { client } from './api/client.ts'
import { queryClient } from './api/query-client.ts'
import { prefetchOperation, queryKeyOf } from './api/use-operation.ts'
import { parseDeploymentSearch } from './deployments/deployment-filters.ts'
import { DeploymentPage } from './deployments/deployment-page.tsx'
import { deploymentDetailsQuery } from './deployments/use-pause-preview.ts'
import { parseInstanceFilters } from './environments/instance-filters.ts'
import { lazyRouteComponent } from './lazy-route-component.ts'
import { parseFilters } from './projects/filters.ts'
import { recordNames, reportNames } from './reports/filters.ts'
import { filterNames } from './settings/audit/audit-filter-names.ts'
import { Shell } from './shell/shell.tsx'
import { NotFound } from './ui/not-found.tsx'
import { RouteError } from './ui/route-error.tsx'

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: RouteError })

/** Picks known text parameters from an address. */
function textsIn<Name extends string>(search: Record<string, unknown>, names: readonly Name[]) {
  const known: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = search[name]
    if (typeof value === 'string') known[name] = value
  }
  return known
}

/** Target after sign-in, the reason for the last failure, and the ID of the organization. */
type SignInSearch = { to?: string; refused?: string; organization?: string }

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/console/sign-in',
  validateSearch: ({ to, refused, organization }: Record<string, unknown>): SignInSearch => ({
    ...(typeof to === 'string' && { to }),
    ...(typeof organization === 'string' && { organization }),
    ...(typeof refused === 'string' && { refused }),
  }),
  component: lazyRouteComponent(() => import('./sign-in/sign-in.tsx'), 'SignIn'),
})

const join = createRoute({
  getParentRoute: () => root,
  path: '/console/join',
  component: lazyRouteComponent(() => import('./sign-in/join.tsx'), 'Join'),
})

/** Routes that require a session. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData({ queryKey: queryKeyOf('whoami', {}), queryFn: () => client.whoami() })
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error
      throw redirect({ to: '/console/sign-in', search: { to: location.href } })
    }
  },
})

const overview = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/overview.tsx'), 'Overview'),
})

/** Redirects from addresses that users tend to type. */
const start = createRoute({
  getParentRoute: () => root,
  path: '/console',
  beforeLoad: () => {
    throw redirect({ to: '/' })
  },
})

const inbox = createRoute({
  getParentRoute: () => shell,
  path: '/console/inbox',
  component: lazyRouteComponent(() => import('./inbox/inbox-page.tsx'), 'InboxPage'),
})

const device = createRoute({
  getParentRoute: () => shell,
  path: '/console/device',
  validateSearch: (search: Record<string, unknown>) => textsIn(search, ['code']),
  component: lazyRouteComponent(() => import('./sign-in/device.tsx'), 'Device'),
})

const slackLink = createRoute({
  getParentRoute: () => shell,
  path: '/console/slack',
  validateSearch: (search: Record<string, unknown>) => textsIn(search, ['token']),
  component: lazyRouteComponent(() => import('./sign-in/slack-link.tsx'), 'SlackLink'),
})

const projects = createRoute({
  getParentRoute: () => shell,
  path: '/console/projects',
  component: lazyRouteComponent(() => import('./projects/projects.tsx'), 'Projects'),
})

const project = createRoute({
  getParentRoute: () => shell,
  path: '/console/projects/$id',
  validateSearch: parseFilters,
  component: lazyRouteComponent(() => import('./projects/project-page.tsx'), 'ProjectPage'),
})

const service = createRoute({
  getParentRoute: () => shell,
  path: '/console/projects/$id/services/$service',
  component: lazyRouteComponent(() => import('./services/service-page.tsx'), 'ServicePage'),
})

const activity = createRoute({
  getParentRoute: () => shell,
  path: '/console/activity',
  validateSearch: (search: Record<string, unknown>) => textsIn(search, activityNames),
  component: lazyRouteComponent(() => import('./activity/activity-page.tsx'), 'ActivityPage'),
})

/** Former address of the activity of a project. */
const projectActivity = createRoute({
  getParentRoute: () => shell,
  path: '/console/projects/$id/activity',
  validateSearch: (search: Record<string, unknown>) => textsIn(search, ['show']),
  beforeLoad: ({ params: { id }, search }) => {
    throw redirect({ to: '/console/activity', search: { ...search, project: id } })
  },
})

const environments = createRoute({
  getParentRoute: () => shell,
  path: '/console/environments',
  validateSearch: parseInstanceFilters,
  component: lazyRouteComponent(() => import('./environments/environments.tsx'), 'Environments'),
})

const newInstance = createRoute({
  getParentRoute: () => shell,
  path: '/console/environments/$id/new',
  component: lazyRouteComponent(() => import('./instances/new-instance.tsx'), 'NewInstance'),
})

const importing = createRoute({
  getParentRoute: () => shell,
  path: '/console/import',
  validateSearch: (search: Record<string, unknown>) =>
    textsIn(search, ['environmentId', 'cloudAccountId', 'region', 'type']),
  component: lazyRouteComponent(() => import('./imports/import-page.tsx'), 'ImportPage'),
})

const instance = createRoute({
  getParentRoute: () => shell,
  path: '/console/instances/$id',
  validateSearch: (search: Record<string, unknown>) => textsIn(search, ['tab', 'from']),
  component: lazyRouteComponent(() => import('./instances/instance-page.tsx'), 'InstancePage'),
})

const compare = createRoute({
  getParentRoute: () => shell,
  path: '/console/instances/$id/compare',
  validateSearch: (search: Record<string, unknown>) => textsIn(search, ['from', 'to']),
  component: lazyRouteComponent(() => import('./compare/compare-page.tsx'), 'ComparePage'),
})

const rehearsal = createRoute({
  getParentRoute: () => shell,
  path: '/console/rehearsals/$id',
  validateSearch: (search: Record<string, unknown>) => textsIn(search, ['scenario']),
  component: lazyRouteComponent(() => import('./rehearsals/rehearsal-page.tsx'), 'RehearsalPage'),
})

const deployments = createRoute({
  getParentRoute: () => shell,
  path: '/console/deployments',
  validateSearch: parseDeploymentSearch,
  component: lazyRouteComponent(() => import('./deployments/deployments.tsx'), 'Deployments'),
})

const deployment = createRoute({
  getParentRoute: () => shell,
  path: '/console/deployments/$id',
  loader: ({ params }) => {
    prefetchOperation('getDeployment', { params, query: deploymentDetailsQuery }) // the page is drawn without it
    return prefetchOperation('getDeployment', { params })
  },
  component: DeploymentPage, // people live on it: it comes with the first scripts
})

const pipelines = createRoute({
  getParentRoute: () => shell,
  path: '/console/pipelines',
  component: lazyRouteComponent(() => import('./pipelines/pipelines.tsx'), 'Pipelines'),
})

const tabs = ['runs', 'configuration', 'versions'] as const

const pipeline = createRoute({
  getParentRoute: () => shell,
  path: '/console/pipelines/$id',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: (typeof tabs)[number] } => {
    const known = tabs.find((one) => one === tab)
    return known ? { tab: known } : {}
  },
  component: lazyRouteComponent(() => import('./pipelines/pipeline-page.tsx'), 'PipelinePage'),
})

const modules = createRoute({
  getParentRoute: () => shell,
  path: '/console/modules',
  component: lazyRouteComponent(() => import('./modules/modules.tsx'), 'Modules'),
})

const moduleTabs = ['configuration', 'versions', 'used'] as const

const moduleDefinition = createRoute({
  getParentRoute: () => shell,
  path: '/console/modules/$id',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: (typeof moduleTabs)[number] } => {
    const known = moduleTabs.find((one) => one === tab)
    return known ? { tab: known } : {}
  },
  component: lazyRouteComponent(() => import('./modules/module-page.tsx'), 'ModulePage'),
})

const run = createRoute({
  getParentRoute: () => shell,
  path: '/console/runs/$id',
  validateSearch: ({ step }: Record<string, unknown>): { step?: string } => (typeof step === 'string' ? { step } : {}),
  component: lazyRouteComponent(() => import('./pipelines/run-page.tsx'), 'RunPage'),
})

const reports = createRoute({
  getParentRoute: () => shell,
  path: '/console/reports',
  validateSearch: (search: Record<string, unknown>) => textsIn(search, reportNames),
  component: lazyRouteComponent(() => import('./reports/reports.tsx'), 'Reports'),
})

const reportRecords = createRoute({
  getParentRoute: () => shell,
  path: '/console/reports/records',
  validateSearch: (search: Record<string, unknown>) => textsIn(search, recordNames),
  component: lazyRouteComponent(() => import('./reports/records.tsx'), 'ReportRecords'),
})

const continueAtGitHost = createRoute({
  getParentRoute: () => shell,
  path: '/console/git-hosts/$host',
  validateSearch: (search: Record<string, unknown>) =>
    textsIn(search, ['organizationId', 'membershipId', 'returnUrl', 'githostbInstanceId']),
  component: lazyRouteComponent(() => import('./settings/git/continue-at-git-host.tsx'), 'ContinueAtGitHost'),
})

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/console/settings',
  component: lazyRouteComponent(() => import('./settings/settings.tsx'), 'Settings'),
})

const settingsPlaces = [
  createRoute({
    getParentRoute: () => settings,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/console/settings/members' })
    },
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'members',
    component: lazyRouteComponent(() => import('./settings/access/members.tsx'), 'Members'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'access',
    component: lazyRouteComponent(() => import('./settings/access/access.tsx'), 'Access'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'service-accounts',
    component: lazyRouteComponent(() => import('./settings/access/service-accounts.tsx'), 'ServiceAccounts'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'api-keys',
    component: lazyRouteComponent(() => import('./settings/access/api-keys.tsx'), 'ApiKeys'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'organization',
    component: lazyRouteComponent(() => import('./settings/organization/organization.tsx'), 'OrganizationSettings'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'sessions',
    component: lazyRouteComponent(() => import('./settings/access/sessions.tsx'), 'Sessions'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'mail',
    component: lazyRouteComponent(() => import('./settings/organization/mail.tsx'), 'MailSettings'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'slack',
    component: lazyRouteComponent(() => import('./settings/access/slack-accounts.tsx'), 'SlackAccounts'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'single-sign-on',
    component: lazyRouteComponent(() => import('./settings/access/single-sign-on.tsx'), 'SingleSignOn'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'cloud-accounts',
    component: lazyRouteComponent(() => import('./settings/cloud/cloud-accounts.tsx'), 'CloudAccounts'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'domains',
    component: lazyRouteComponent(
      () => import('./settings/cloud/domains-and-certificates.tsx'),
      'DomainsAndCertificates',
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'code-sources',
    component: lazyRouteComponent(() => import('./settings/git/code-sources.tsx'), 'CodeSources'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'defaults',
    component: lazyRouteComponent(() => import('./settings/projects/defaults.tsx'), 'Defaults'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'freezes',
    validateSearch: (search: Record<string, unknown>) => textsIn(search, ['place']),
    component: lazyRouteComponent(() => import('./settings/gates/freezes.tsx'), 'Freezes'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'approval-rules',
    component: lazyRouteComponent(() => import('./settings/gates/approval-rules.tsx'), 'ApprovalRules'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'policies',
    component: lazyRouteComponent(() => import('./settings/gates/policies.tsx'), 'Policies'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'promotion-rules',
    component: lazyRouteComponent(() => import('./settings/gates/promotion-rules.tsx'), 'PromotionRules'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'preview-templates',
    component: lazyRouteComponent(() => import('./settings/projects/preview-templates.tsx'), 'PreviewTemplates'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'watched-repositories',
    component: lazyRouteComponent(() => import('./settings/git/watched-repositories.tsx'), 'WatchedRepositories'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'prices',
    component: lazyRouteComponent(() => import('./settings/organization/prices.tsx'), 'Prices'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'notifications',
    component: lazyRouteComponent(() => import('./settings/notifications/channels.tsx'), 'Channels'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'projects',
    component: lazyRouteComponent(() => import('./settings/projects/projects.tsx'), 'Projects'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'execution-environments',
    component: lazyRouteComponent(() => import('./settings/cloud/execution-environments.tsx'), 'ExecutionEnvironments'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'audit-log',
    validateSearch: (search: Record<string, unknown>) => textsIn(search, filterNames),
    component: lazyRouteComponent(() => import('./settings/audit/audit-log.tsx'), 'AuditLog'),
  }),
] as const

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    join,
    start,
    shell.addChildren([
      overview,
      inbox,
      device,
      slackLink,
      projects,
      project,
      service,
      activity,
      projectActivity,
      environments,
      newInstance,
      importing,
      instance,
      compare,
      deployments,
      deployment,
      rehearsal,
      pipelines,
      pipeline,
      modules,
      moduleDefinition,
      run,
      reports,
      reportRecords,
      continueAtGitHost,
      settings.addChildren(settingsPlaces),
    ]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
