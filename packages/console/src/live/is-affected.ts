import { type Operation, operations } from '@sluice/client'
import type { Change, ChangingResource } from '@sluice/contract'

/** Resources in the audit log, which also affect the drift of applied files. */
const configuration = [
  ...(['approval-rules', 'domains', 'environments', 'freezes', 'holds', 'module-instances'] as const),
  ...(['pipeline-versions', 'pipelines', 'policies', 'preview-templates', 'projects', 'promotion-rules'] as const),
  ...(['stacks', 'watched-repositories'] as const),
]

/** Collections that also show other resources, like pipelines with their latest run. */
const alsoShows: Readonly<Record<string, readonly ChangingResource[]>> = {
  'audit-events': configuration,
  files: configuration,
  'deployment-records': ['deployments'],
  domains: ['certificates'],
  favourites: ['environments', 'module-instances', 'pipelines', 'projects'],
  inbox: ['deployments', 'holds', 'pipeline-runs', 'pipeline-step-executions'],
  'iac-resources': ['pipeline-step-executions'],
  'module-definitions': ['module-versions'],
  pipelines: ['pipeline-runs', 'pipeline-versions'],
  projects: ['environments'],
  'runner-tasks': ['pipeline-step-executions'],
  'service-states': ['deployments', 'holds', 'module-instances', 'iac-plans'],
  services: ['deployments', 'holds', 'module-instances', 'iac-plans'],
}

type Asked = { params?: { id?: string }; query?: Readonly<Record<string, unknown>> }

/**
 * Returns whether a change can affect the answer to a query. Returns true in doubt: an extra fetch is cheap, an
 * outdated answer misleads.
 */
export function isAffected([operation, request]: readonly unknown[], change: Change): boolean {
  const [, path] = operations[operation as Operation] ?? []
  const [, asked = ''] = path?.split('/') ?? []
  const { params, query } = (typeof request === 'object' ? request : {}) as Asked
  if (asked === change.resource) {
    return params?.id === undefined ? mayList(query, change) : params.id === change.id
  }
  const shown = shownBy(path) ?? asked
  if (!alsoShows[shown]?.includes(change.resource)) return false
  return params?.id === undefined ? mayList(query, change) : Object.values(change.belongsTo).includes(params.id)
}

/** Returns the resource that an operation reads, if its path does not begin with the resource. */
function shownBy(path: string | undefined): string | undefined {
  if (path === '/reports/deployments') return 'deployment-records'
  return path?.endsWith('/files') ? 'files' : undefined
}

/** Returns whether a list can contain the record, by its parent. */
const mayList = (query: Asked['query'], { belongsTo }: Change): boolean =>
  Object.entries(query ?? {}).every(([name, wanted]) => belongsTo[name] === undefined || belongsTo[name] === wanted)
