import type { DeploymentColumn, DeploymentStatus } from '@sluice/contract'
import { type PeriodSelection, timeRangeOf } from '../reports/period.ts'
import { statusStyles } from '../ui/status-badge.tsx'

/** Columns of the table with their labels, in display order. */
export const columnLabels = {
  SERVICE: 'Service',
  ENVIRONMENT: 'Environment',
  PROJECT: 'Project',
  VERSION: 'Version',
  STATUS: 'Status',
  TRIGGERED_BY: 'Person',
  CREATED_AT: 'Created',
  DURATION: 'Duration',
} as const satisfies Record<DeploymentColumn, string>

const columns = Object.keys(columnLabels) as DeploymentColumn[]
const defaultColumns: readonly DeploymentColumn[] = columns.filter((column) => column !== 'PROJECT')

/** Statuses that a deployment can have, with their labels. */
export const deploymentStatusLabels = {
  PENDING: statusStyles.PENDING.label,
  IN_PROGRESS: statusStyles.IN_PROGRESS.label,
  SUCCESS: statusStyles.SUCCESS.label,
  ERROR: statusStyles.ERROR.label,
  ROLLING_BACK: statusStyles.ROLLING_BACK.label,
  ROLLED_BACK: statusStyles.ROLLED_BACK.label,
  CANCELLED: statusStyles.CANCELLED.label,
} as const satisfies Record<DeploymentStatus, string>

const texts = ['project', 'environment', 'service', 'by', 'version', 'days', 'from', 'to'] as const

/** Filters, order and columns of the deployments page, held in the address. */
export type DeploymentSearch = Partial<Record<(typeof texts)[number], string>> & {
  status?: DeploymentStatus[]
  sort?: DeploymentColumn
  ascending?: true
  columns?: DeploymentColumn[]
}

/** Parses an address and drops unknown values. */
export function parseDeploymentSearch(address: Record<string, unknown>): DeploymentSearch {
  const known: DeploymentSearch = {}
  for (const name of texts) {
    // The router reads `version=2` as a number.
    const value = address[name]
    if (value !== undefined && value !== '' && typeof value !== 'object') known[name] = String(value)
  }
  const status = listIn(address.status).filter((one): one is DeploymentStatus =>
    Object.hasOwn(deploymentStatusLabels, one),
  )
  const shown = listIn(address.columns).filter(isColumn)
  return {
    ...known,
    ...(status.length > 0 && { status }),
    ...(isColumn(address.sort) && { sort: address.sort }),
    ...(address.ascending === true && { ascending: true }),
    ...(shown.length > 0 && { columns: shown }),
  }
}

const listIn = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string')
const isColumn = (name: unknown): name is DeploymentColumn =>
  typeof name === 'string' && Object.hasOwn(columnLabels, name)

/** Returns the columns that are shown, in display order. */
export const shownColumns = ({ columns: chosen = [...defaultColumns] }: DeploymentSearch): DeploymentColumn[] =>
  columns.filter((column) => chosen.includes(column))

/** Returns the search after a click on a column's header: sorts by it, or reverses its order. */
export function sortBy(search: DeploymentSearch, column: DeploymentColumn): DeploymentSearch {
  const { ascending, sort = 'CREATED_AT', ...rest } = search
  if (sort === column) return { ...rest, sort, ...(!ascending && { ascending: true }) }
  // Times and durations begin with the largest, names with the first letter.
  const isMeasure = column === 'CREATED_AT' || column === 'DURATION'
  return { ...rest, sort: column, ...(!isMeasure && { ascending: true }) }
}

/** Returns whether the search filters beyond the default period. */
export const isFiltered = ({ sort: _, ascending: __, columns: ___, ...filters }: DeploymentSearch): boolean =>
  Object.keys(filters).length > 0

/** Converts the search to a query of the API. */
export function deploymentQuery(search: DeploymentSearch, now: Date) {
  const { project, environment, service, by, version, status, sort, ascending } = search
  const period: PeriodSelection = search
  return {
    ...timeRangeOf(period, now),
    ...(project && { projectId: project }),
    ...(environment && { environmentId: environment }),
    ...(service && { service }),
    ...(by && { triggeredBy: by }),
    ...(version && { version }),
    ...(status && { status }),
    ...(sort && { sort }),
    ...(ascending && { order: 'ASCENDING' as const }),
  }
}
