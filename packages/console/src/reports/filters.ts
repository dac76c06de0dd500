import type { Time } from './period.ts'

/** What narrows a report. */
const places = ['projectId', 'environmentId', 'moduleInstanceId', 'teamId', 'pipelineId', 'stepId'] as const
type Place = (typeof places)[number]
export type Narrowed = Partial<Record<Place, string>>

/** What the address of the page may say. */
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

/** What the address of the records behind a number says: which number, of what time and place. */
export const recordNames = ['figure', 'startTime', 'endTime', ...places] as const
export type Records = Partial<Record<(typeof recordNames)[number], string>>

/** What the table of deliveries may be by. */
export const divisions = {
  PROJECT: 'Project',
  ENVIRONMENT: 'Environment',
  MODULE_INSTANCE: 'Instance',
  TEAM: 'Team',
} as const
export type Division = keyof typeof divisions

export const divisionOf = ({ by }: Filters): Division =>
  by !== undefined && Object.hasOwn(divisions, by) ? (by as Division) : 'PROJECT'

/** Of what a group of a report is an id, and what is of interest within it. */
const within = {
  PROJECT: { name: 'projectId', by: 'ENVIRONMENT' },
  ENVIRONMENT: { name: 'environmentId', by: 'MODULE_INSTANCE' },
  MODULE_INSTANCE: { name: 'moduleInstanceId', by: 'MODULE_INSTANCE' },
  TEAM: { name: 'teamId', by: 'PROJECT' },
} as const satisfies Record<Division, { name: keyof Filters; by: Division }>

/** The filters for one group of a table alone, divided into what is within it. */
export const onlyGroup = (filters: Filters, division: Division, id: string): Filters => {
  const { name, by } = within[division]
  return { ...filters, [name]: id, by }
}

export const placeOfGroup = (division: Division, id: string | undefined): Narrowed =>
  id === undefined ? {} : { [within[division].name]: id }

/** What deployments and pauses are narrowed to. */
export const ofDeliveries = ({ projectId, environmentId, moduleInstanceId, teamId }: Filters | Records) => ({
  ...(projectId !== undefined && { projectId }),
  ...(environmentId !== undefined && { environmentId }),
  ...(moduleInstanceId !== undefined && { moduleInstanceId }),
  ...(teamId !== undefined && { teamId }),
})

/** What runs, approvals and steps are narrowed to: pipelines are of a project, and of no place within it. */
export const ofRuns = ({ projectId, pipelineId, stepId }: Records) => ({
  ...(projectId !== undefined && { projectId }),
  ...(pipelineId !== undefined && { pipelineId }),
  ...(stepId !== undefined && { stepId }),
})

export const timeOfRecords = ({ startTime, endTime }: Records): Partial<Time> => ({
  ...(startTime !== undefined && { startTime }),
  ...(endTime !== undefined && { endTime }),
})
