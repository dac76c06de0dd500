import { Type } from 'typebox'
import { DeploymentStatus, deploymentStatuses } from '../../delivery/deployment.ts'
import {
  ApprovalReportRow,
  ChangeReport,
  DeliveryRecordRow,
  DeliveryReportRow,
  DeploymentRecordRow,
  deliveryFigures,
  deploymentColumns,
  maxReportDays,
  maxReportRows,
  PauseReportRow,
  RunRecordRow,
  RunReportRow,
  recordsOf,
  reportIntervals,
  reportOf,
  runFigures,
  StepReportRow,
  stepReportOrders,
  wholeReportOf,
} from '../../interface/report.ts'
import { dataOf } from '../../values/envelope.ts'
import { GivenId, Id } from '../../values/ids.ts'
import { UtcDateTime } from '../../values/time.ts'
import type { RouteTable } from '../route.ts'

const moment = (description: string) => Type.Optional(Type.Unsafe<string>({ ...UtcDateTime, description }))

const range = {
  startTime: moment(
    `Start of the time range, inclusive. Defaults to 30 days before \`endTime\`. The range is at most ${maxReportDays} days.`,
  ),
  endTime: moment('End of the time range, exclusive. Defaults to now.'),
  format: Type.Optional(
    Type.Enum(['json', 'csv'], {
      description: 'Format of the rows. Defaults to the format requested by the `Accept` header.',
    }),
  ),
}
const intervals = {
  ...range,
  interval: Type.Enum(reportIntervals, {
    default: 'DAY',
    description: 'Interval of the rows in UTC. `TOTAL` returns a single interval.',
  }),
}
const filterBy = (what: string) => Type.Optional({ ...Id, description: `Filters by ${what}.` })

const partOf = (what: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: `Filters by a part of ${what}.` }))

const scopeFilters = {
  projectId: filterBy('project'),
  environmentId: filterBy('environment'),
  moduleInstanceId: filterBy('module instance'),
}
const teamId = Type.Optional({
  ...Id,
  description: 'ID of a team. Includes only environments in which the team can deploy.',
})
const ofPipelines = { projectId: filterBy('project'), pipelineId: filterBy('pipeline') }

const rowLimit = (rows: number) =>
  Type.Integer({ minimum: 1, maximum: maxReportRows, default: rows, description: 'Maximum number of rows.' })

const by = <Value extends string>(values: Value[]) =>
  Type.Optional(Type.Enum(values, { description: 'Grouping of the report. If absent, the report is not grouped.' }))

export const reportRoutes = {
  getDeliveryReport: {
    operationId: 'getDeliveryReport',
    method: 'GET',
    path: '/reports/delivery',
    tag: 'Reports',
    summary: 'Get a delivery report: deployment frequency, lead time, change failure rate and time to restore',
    permission: 'deployments:read',
    query: Type.Object(
      { ...intervals, ...scopeFilters, teamId, groupBy: by(['PROJECT', 'ENVIRONMENT', 'MODULE_INSTANCE', 'TEAM']) },
      { additionalProperties: false },
    ),
    asCsv: true,
    response: [200, dataOf(reportOf(DeliveryReportRow))],
    errors: ['reportTooLarge'],
  },
  getPauseReport: {
    operationId: 'getPauseReport',
    method: 'GET',
    path: '/reports/pauses',
    tag: 'Reports',
    summary: 'Get a report of deployment pauses and their duration',
    permission: 'deployments:read',
    query: Type.Object(
      { ...intervals, ...scopeFilters, teamId, groupBy: by(['PROJECT', 'ENVIRONMENT', 'MODULE_INSTANCE', 'TEAM']) },
      { additionalProperties: false },
    ),
    asCsv: true,
    response: [200, dataOf(reportOf(PauseReportRow))],
    errors: ['reportTooLarge'],
  },
  getDeliveryRecords: {
    operationId: 'getDeliveryRecords',
    method: 'GET',
    path: '/reports/delivery/records',
    tag: 'Reports',
    summary: 'List the deployments or pauses behind a figure of a report',
    permission: 'deployments:read',
    query: Type.Object(
      {
        ...range,
        ...scopeFilters,
        teamId,
        figure: Type.Enum(deliveryFigures, { description: "Name of the figure's field." }),
        limit: rowLimit(100),
      },
      { additionalProperties: false },
    ),
    asCsv: true,
    response: [200, dataOf(recordsOf(DeliveryRecordRow))],
    errors: [],
  },
  getDeploymentRecords: {
    operationId: 'getDeploymentRecords',
    method: 'GET',
    path: '/reports/deployments',
    tag: 'Reports',
    summary: 'List deployments as a table, filtered and sorted by its columns',
    permission: 'deployments:read',
    query: Type.Object(
      {
        ...range,
        ...scopeFilters,
        givenId: Type.Optional({ ...GivenId, description: 'Filters by the exact `givenId` of the module instance.' }),
        service: partOf('the name of the module instance'),
        triggeredBy: partOf('the name of the user or service account'),
        version: partOf('the version'),
        status: Type.Optional(
          Type.Array(DeploymentStatus, {
            maxItems: deploymentStatuses.length,
            description: 'Filters by status. Repeat the parameter to allow several statuses.',
          }),
        ),
        sort: Type.Enum(deploymentColumns, { default: 'CREATED_AT', description: 'Column to sort by.' }),
        order: Type.Enum(['ASCENDING', 'DESCENDING'], { default: 'DESCENDING', description: 'Order of the column.' }),
        limit: rowLimit(100),
      },
      { additionalProperties: false },
    ),
    asCsv: true,
    response: [200, dataOf(recordsOf(DeploymentRecordRow))],
    errors: [],
  },
  getRunReport: {
    operationId: 'getRunReport',
    method: 'GET',
    path: '/reports/pipeline-runs',
    tag: 'Reports',
    summary: 'Get a report of pipeline runs, their results and durations',
    permission: 'pipeline-runs:read',
    query: Type.Object(
      { ...intervals, ...ofPipelines, groupBy: by(['PROJECT', 'PIPELINE']) },
      { additionalProperties: false },
    ),
    asCsv: true,
    response: [200, dataOf(reportOf(RunReportRow))],
    errors: ['reportTooLarge'],
  },
  getApprovalReport: {
    operationId: 'getApprovalReport',
    method: 'GET',
    path: '/reports/approvals',
    tag: 'Reports',
    summary: 'Get a report of step approvals and their waiting time',
    permission: 'pipeline-runs:read',
    query: Type.Object(
      { ...intervals, ...ofPipelines, groupBy: by(['PROJECT', 'PIPELINE']) },
      { additionalProperties: false },
    ),
    asCsv: true,
    response: [200, dataOf(reportOf(ApprovalReportRow))],
    errors: ['reportTooLarge'],
  },
  getStepReport: {
    operationId: 'getStepReport',
    method: 'GET',
    path: '/reports/steps',
    tag: 'Reports',
    summary: 'Get a report of the pipeline steps that fail most or take longest',
    permission: 'pipeline-runs:read',
    query: Type.Object(
      {
        ...range,
        ...ofPipelines,
        order: Type.Enum(stepReportOrders, { default: 'MOST_FAILED', description: 'Sort order.' }),
        limit: rowLimit(20),
      },
      { additionalProperties: false },
    ),
    asCsv: true,
    response: [200, dataOf(wholeReportOf(StepReportRow))],
    errors: [],
  },
  getRunRecords: {
    operationId: 'getRunRecords',
    method: 'GET',
    path: '/reports/pipeline-runs/records',
    tag: 'Reports',
    summary: 'List the runs, approvals or steps behind a figure of a report',
    permission: 'pipeline-runs:read',
    query: Type.Object(
      {
        ...range,
        ...ofPipelines,
        stepId: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 100,
            description: 'Filters by step ID from the pipeline configuration.',
          }),
        ),
        figure: Type.Enum(runFigures, { description: "Name of the figure's field." }),
        limit: rowLimit(100),
      },
      { additionalProperties: false },
    ),
    asCsv: true,
    response: [200, dataOf(recordsOf(RunRecordRow))],
    errors: [],
  },
  getChangeReport: {
    operationId: 'getChangeReport',
    method: 'GET',
    path: '/reports/changes',
    tag: 'Reports',
    summary: 'Get a report of the changes between two times',
    permission: 'deployments:read',
    query: Type.Object({ ...range, ...scopeFilters }, { additionalProperties: false }),
    asCsv: true,
    response: [200, dataOf(ChangeReport)],
    errors: ['reportTooLarge'],
  },
} as const satisfies RouteTable
