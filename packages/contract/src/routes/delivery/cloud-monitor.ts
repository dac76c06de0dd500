import { Type } from 'typebox'
import { ModuleInstanceLogPage, moduleInstanceLogParams } from '../../delivery/module-instance-log.ts'
import { ModuleInstanceMetrics } from '../../delivery/module-instance-metric.ts'
import { IdParams } from '../../values/ids.ts'
import { pageParams } from '../../values/list.ts'
import { UtcDateTime } from '../../values/time.ts'
import type { RouteTable } from '../route.ts'

const moment = (description: string) => Type.Optional(Type.Unsafe<string>({ ...UtcDateTime, description }))

/** What asking the cloud for a log can be refused for. */
const logRefusals = [
  'moduleInstanceNotFound',
  'monitorSourceNotFound',
  'monitorSourceNotConnected',
  'monitorSourceRefused',
  'cloudUnreachable',
] as const

/** The logs and metrics that the `ui` of a module instance names. Nothing of them is kept here. */
export const cloudMonitorRoutes = {
  getModuleInstanceLogs: {
    operationId: 'getModuleInstanceLogs',
    method: 'GET',
    path: '/module-instances/{id}/logs',
    tag: 'AwsCloudWatch',
    summary: 'Read a log of a module instance, newest lines first',
    needs: 'module-instances:read',
    params: IdParams,
    query: Type.Object(
      {
        limit: pageParams.limit,
        cursor: pageParams.cursor,
        ...moduleInstanceLogParams,
        startTime: moment(
          'Lines from then on; an hour before `endTime` without it. The two are 31 days apart at most.',
        ),
        endTime: moment('Lines before then; without it, up to now.'),
      },
      { additionalProperties: false },
    ),
    reply: [200, ModuleInstanceLogPage],
    refuses: ['cursorInvalid', ...logRefusals],
  },
  streamModuleInstanceLogs: {
    operationId: 'streamModuleInstanceLogs',
    method: 'GET',
    path: '/module-instances/{id}/logs/stream',
    tag: 'AwsCloudWatch',
    summary: 'Follow a log of a module instance',
    needs: 'module-instances:read',
    params: IdParams,
    query: Type.Object(moduleInstanceLogParams, { additionalProperties: false }),
    reply: [
      200,
      Type.String({
        description:
          'Server-sent events: each has a line as its data, oldest first, from now on or, with the Last-Event-ID of a client that lost the connection, from there on. The event `trouble` has an error as its data: the log cannot be read now and is tried again. The event `end` says that there is no log to follow any more.',
      }),
    ],
    replyType: 'text/event-stream',
    refuses: logRefusals,
  },
  getModuleInstanceMetrics: {
    operationId: 'getModuleInstanceMetrics',
    method: 'GET',
    path: '/module-instances/{id}/metrics',
    tag: 'AwsCloudWatch',
    summary: 'Read metrics of a module instance',
    needs: 'module-instances:read',
    params: IdParams,
    query: Type.Object(
      {
        metricId: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
            maxItems: 50,
            description: 'Only these metrics of the `ui` of the instance; repeat the parameter. All without it.',
          }),
        ),
        startTime: moment('Points from then on; three hours before `endTime` without it.'),
        endTime: moment('Points before then; without it, up to now.'),
        periodSeconds: Type.Optional(
          Type.Integer({
            minimum: 60,
            maximum: 86_400,
            multipleOf: 60,
            description:
              'How far apart the points are; without it, as close as keeps them to 300. More than 1,440 are refused.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    reply: [200, ModuleInstanceMetrics],
    refuses: ['moduleInstanceNotFound', 'monitorSourceNotFound'],
  },
} as const satisfies RouteTable
