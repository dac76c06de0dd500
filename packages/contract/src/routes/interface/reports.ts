import { Type } from 'typebox'
import {
  ApprovalReportRow,
  ChangeReport,
  DeliveryRecordRow,
  DeliveryReportRow,
  deliveryFigures,
  mostReportDays,
  mostReportRows,
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
import { Id } from '../../values/ids.ts'
import { UtcDateTime } from '../../values/time.ts'
import type { RouteTable } from '../route.ts'

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
  interval: Type.Enum(reportIntervals, {
    default: 'DAY',
    description: 'What the time is divided into, in UTC; `TOTAL`: not at all.',
  }),
}
const only = (what: string) => Type.Optional({ ...Id, description: `Only what is in this ${what}.` })

const ofPlaces = {
  projectId: only('project'),
  environmentId: only('environment'),
  moduleInstanceId: only('module instance'),
}
const teamId = Type.Optional({ ...Id, description: 'Only what is where this team may release.' })
const ofPipelines = { projectId: only('project'), pipelineId: only('pipeline') }

const atMost = (rows: number) =>
  Type.Integer({ minimum: 1, maximum: mostReportRows, default: rows, description: 'How many rows at most.' })

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
      { ...intervals, ...ofPlaces, teamId, groupBy: by(['PROJECT', 'ENVIRONMENT', 'MODULE_INSTANCE', 'TEAM']) },
      { additionalProperties: false },
    ),
    asCsv: true,
    reply: [200, dataOf(reportOf(DeliveryReportRow))],
    refuses: ['reportTooLarge'],
  },
  getPauseReport: {
    operationId: 'getPauseReport',
    method: 'GET',
    path: '/reports/pauses',
    tag: 'Reports',
    summary: 'How many pauses of deployments there were, and how long they waited',
    needs: 'deployments:read',
    query: Type.Object(
      { ...intervals, ...ofPlaces, teamId, groupBy: by(['PROJECT', 'ENVIRONMENT', 'MODULE_INSTANCE', 'TEAM']) },
      { additionalProperties: false },
    ),
    asCsv: true,
    reply: [200, dataOf(reportOf(PauseReportRow))],
    refuses: ['reportTooLarge'],
  },
  getDeliveryRecords: {
    operationId: 'getDeliveryRecords',
    method: 'GET',
    path: '/reports/delivery/records',
    tag: 'Reports',
    summary: 'The deployments or pauses behind a number of a report',
    needs: 'deployments:read',
    query: Type.Object(
      {
        ...range,
        ...ofPlaces,
        teamId,
        figure: Type.Enum(deliveryFigures, { description: 'Which number, by the name of its field.' }),
        most: atMost(100),
      },
      { additionalProperties: false },
    ),
    asCsv: true,
    reply: [200, dataOf(recordsOf(DeliveryRecordRow))],
    refuses: [],
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
  getStepReport: {
    operationId: 'getStepReport',
    method: 'GET',
    path: '/reports/steps',
    tag: 'Reports',
    summary: 'Which steps of pipelines fail most, or take longest',
    needs: 'pipeline-runs:read',
    query: Type.Object(
      {
        ...range,
        ...ofPipelines,
        order: Type.Enum(stepReportOrders, { default: 'MOST_FAILED', description: 'Which come first.' }),
        most: atMost(20),
      },
      { additionalProperties: false },
    ),
    asCsv: true,
    reply: [200, dataOf(wholeReportOf(StepReportRow))],
    refuses: [],
  },
  getRunRecords: {
    operationId: 'getRunRecords',
    method: 'GET',
    path: '/reports/pipeline-runs/records',
    tag: 'Reports',
    summary: 'The runs, approvals or steps behind a number of a report',
    needs: 'pipeline-runs:read',
    query: Type.Object(
      {
        ...range,
        ...ofPipelines,
        stepId: Type.Optional(
          Type.String({ minLength: 1, maxLength: 100, description: 'Only this step, as the configuration names it.' }),
        ),
        figure: Type.Enum(runFigures, { description: 'Which number, by the name of its field.' }),
        most: atMost(100),
      },
      { additionalProperties: false },
    ),
    asCsv: true,
    reply: [200, dataOf(recordsOf(RunRecordRow))],
    refuses: [],
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
