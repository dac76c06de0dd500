import type { TimeRange } from './period.ts'

/** Scope filters of a report. */
const scopeFields = ['projectId', 'environmentId', 'moduleInstanceId', 'teamId', 'pipelineId', 'stepId'] as const
type ScopeField = (typeof scopeFields)[number]
export type Narrowed = Partial<Record<ScopeField, string>>

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
export type Records = Partial<Record<(typeof recordNames)[number], string>>

/** Dimensions of the delivery table. */
export const divisions = {
  PROJECT: 'Project',
  ENVIRONMENT: 'Environment',
  MODULE_INSTANCE: 'Instance',
  TEAM: 'Team',
} as const
export type Division = keyof typeof divisions

export const divisionOf = ({ by }: Filters): Division =>
  by !== undefined && Object.hasOwn(divisions, by) ? (by as Division) : 'PROJECT'

/** ID parameter of each dimension, and the dimension below it. */
const within = {
  PROJECT: { name: 'projectId', by: 'ENVIRONMENT' },
  ENVIRONMENT: { name: 'environmentId', by: 'MODULE_INSTANCE' },
  MODULE_INSTANCE: { name: 'moduleInstanceId', by: 'MODULE_INSTANCE' },
  TEAM: { name: 'teamId', by: 'PROJECT' },
} as const satisfies Record<Division, { name: keyof Filters; by: Division }>

/** Returns the filters for one row of a table, with the next dimension. */
export const filtersForGroup = (filters: Filters, division: Division, id: string): Filters => {
  const { name, by } = within[division]
  return { ...filters, [name]: id, by }
}

export const scopeOfGroup = (division: Division, id: string | undefined): Narrowed =>
  id === undefined ? {} : { [within[division].name]: id }

/** Returns the filters that apply to deployments and pauses. */
export const deliveryScope = ({ projectId, environmentId, moduleInstanceId, teamId }: Filters | Records) => ({
  ...(projectId !== undefined && { projectId }),
  ...(environmentId !== undefined && { environmentId }),
  ...(moduleInstanceId !== undefined && { moduleInstanceId }),
  ...(teamId !== undefined && { teamId }),
})

/**
 * Returns the filters that apply to runs, approvals and steps: pipelines belong to a project, not to an environment.
 */
export const runScope = ({ projectId, pipelineId, stepId }: Records) => ({
  ...(projectId !== undefined && { projectId }),
  ...(pipelineId !== undefined && { pipelineId }),
  ...(stepId !== undefined && { stepId }),
})

export const timeOfRecords = ({ startTime, endTime }: Records): Partial<TimeRange> => ({
  ...(startTime !== undefined && { startTime }),
  ...(endTime !== undefined && { endTime }),
})
