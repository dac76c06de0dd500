import { Type } from 'typebox'
import { dataOf } from '../envelope.ts'
import { Id } from '../ids.ts'
import {
  ApprovalReportRow,
  ChangeReport,
  DeliveryReportRow,
  mostReportDays,
  RunReportRow,
  reportIntervals,
  reportOf,
} from '../report.ts'
import { UtcDateTime } from '../time.ts'
import type { RouteTable } from './route.ts'

const moment = (description: string) => Type.Optional(Type.Unsafe<string>({ ...UtcDateTime, description }))

const range = {
  startTime: moment(`From when on; without it, 30 days before the end. At most ${mostReportDays} days.`),
  endTime: moment('Until when; without it, now.'),
  format: Type.Optional(
    Type.Enum(['json', 'csv'], { description: 'How the rows are written; without it, as `Accept` says.' }),
  ),
}
const intervals = {
  ...range,
  interval: Type.Enum(reportIntervals, { default: 'DAY', description: 'What the time is divided into, in UTC.' }),
}
const only = (what: string) => Type.Optional({ ...Id, description: `Only what is in this ${what}.` })

const ofPlaces = {
  projectId: only('project'),
  environmentId: only('environment'),
  moduleInstanceId: only('module instance'),
}
const ofPipelines = { projectId: only('project'), pipelineId: only('pipeline') }

const by = <Value extends string>(values: Value[]) =>
  Type.Optional(Type.Enum(values, { description: 'What the report is by; without it, all together.' }))

export const reportRoutes = {
  getDeliveryReport: {
    operationId: 'getDeliveryReport',
    method: 'GET',
    path: '/reports/delivery',
    tag: 'Reports',
    summary: 'How often was deployed, how long from the commit, how often it failed, how soon it worked again',
    needs: 'deployments:read',
    query: Type.Object(
      { ...intervals, ...ofPlaces, groupBy: by(['PROJECT', 'ENVIRONMENT', 'MODULE_INSTANCE']) },
      { additionalProperties: false },
    ),
    asCsv: true,
    reply: [200, dataOf(reportOf(DeliveryReportRow))],
    refuses: ['reportTooLarge'],
  },
  getRunReport: {
    operationId: 'getRunReport',
    method: 'GET',
    path: '/reports/pipeline-runs',
    tag: 'Reports',
    summary: 'How many runs of pipelines there were, how they ended and how long they took',
    needs: 'pipeline-runs:read',
    query: Type.Object(
      { ...intervals, ...ofPipelines, groupBy: by(['PROJECT', 'PIPELINE']) },
      { additionalProperties: false },
    ),
    asCsv: true,
    reply: [200, dataOf(reportOf(RunReportRow))],
    refuses: ['reportTooLarge'],
  },
  getApprovalReport: {
    operationId: 'getApprovalReport',
    method: 'GET',
    path: '/reports/approvals',
    tag: 'Reports',
    summary: 'How many approvals of steps were asked for, and how long they waited',
    needs: 'pipeline-runs:read',
    query: Type.Object(
      { ...intervals, ...ofPipelines, groupBy: by(['PROJECT', 'PIPELINE']) },
      { additionalProperties: false },
    ),
    asCsv: true,
    reply: [200, dataOf(reportOf(ApprovalReportRow))],
    refuses: ['reportTooLarge'],
  },
  getChangeReport: {
    operationId: 'getChangeReport',
    method: 'GET',
    path: '/reports/changes',
    tag: 'Reports',
    summary: 'What changed between two moments',
    needs: 'deployments:read',
    query: Type.Object({ ...range, ...ofPlaces }, { additionalProperties: false }),
    asCsv: true,
    reply: [200, dataOf(ChangeReport)],
    refuses: ['reportTooLarge'],
  },
} as const satisfies RouteTable
