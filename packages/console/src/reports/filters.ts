import type { TimeRange } from './period.ts'

/** Scope filters of a report. */
const scopeFields = ['projectId', 'environmentId', 'moduleInstanceId', 'teamId', 'pipelineId', 'stepId'] as const
type ScopeField = (typeof scopeFields)[number]
export type ReportScope = Partial<Record<ScopeField, string>>

/** Search parameters of the reports page. */
export const reportNames = [
  'days',
  'from',
  'to',
  'by',
  'projectId',
  'environmentId',
  'moduleInstanceId',
  'teamId',
] as const
export type Filters = Partial<Record<(typeof reportNames)[number], string>>

/** Search parameters of the records page: figure, period and scope. */
export const recordNames = ['figure', 'startTime', 'endTime', ...scopeFields] as const
export type RecordFilters = Partial<Record<(typeof recordNames)[number], string>>

/** Dimensions of the delivery table. */
export const reportDimensions = {
  PROJECT: 'Project',
  ENVIRONMENT: 'Environment',
  MODULE_INSTANCE: 'Instance',
  TEAM: 'Team',
} as const
export type ReportDimension = keyof typeof reportDimensions

export const reportDimensionOf = ({ by }: Filters): ReportDimension =>
  by !== undefined && Object.hasOwn(reportDimensions, by) ? (by as ReportDimension) : 'PROJECT'

/** ID parameter of each dimension, and the dimension below it. */
const within = {
  PROJECT: { name: 'projectId', by: 'ENVIRONMENT' },
  ENVIRONMENT: { name: 'environmentId', by: 'MODULE_INSTANCE' },
  MODULE_INSTANCE: { name: 'moduleInstanceId', by: 'MODULE_INSTANCE' },
  TEAM: { name: 'teamId', by: 'PROJECT' },
} as const satisfies Record<ReportDimension, { name: keyof Filters; by: ReportDimension }>

/** Returns the filters for one row of a table, with the next dimension. */
export const filtersForGroup = (filters: Filters, division: ReportDimension, id: string): Filters => {
  const { name, by } = within[division]
  return { ...filters, [name]: id, by }
}

export const scopeOfGroup = (division: ReportDimension, id: string | undefined): ReportScope =>
  id === undefined ? {} : { [within[division].name]: id }

/** Returns the filters that apply to deployments and pauses. */
export const deliveryScope = ({ projectId, environmentId, moduleInstanceId, teamId }: Filters | RecordFilters) => ({
  ...(projectId !== undefined && { projectId }),
  ...(environmentId !== undefined && { environmentId }),
  ...(moduleInstanceId !== undefined && { moduleInstanceId }),
  ...(teamId !== undefined && { teamId }),
})

/**
 * Returns the filters that apply to runs, approvals and steps: pipelines belong to a project, not to an environment.
 */
export const runScope = ({ projectId, pipelineId, stepId }: RecordFilters) => ({
  ...(projectId !== undefined && { projectId }),
  ...(pipelineId !== undefined && { pipelineId }),
  ...(stepId !== undefined && { stepId }),
})

export const timeOfRecords = ({ startTime, endTime }: RecordFilters): Partial<TimeRange> => ({
  ...(startTime !== undefined && { startTime }),
  ...(endTime !== undefined && { endTime }),
})
