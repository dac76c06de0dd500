import { Type } from 'typebox'
import { ModuleInstanceLogPage, moduleInstanceLogParams } from '../../delivery/module-instance-log.ts'
import { ModuleInstanceMetrics } from '../../delivery/module-instance-metric.ts'
import { IdParams } from '../../values/ids.ts'
import { pageParams } from '../../values/list.ts'
import { UtcDateTime } from '../../values/time.ts'
import type { RouteTable } from '../route.ts'

const moment = (description: string) => Type.Optional(Type.Unsafe<string>({ ...UtcDateTime, description }))

/** Errors of requests to the cloud for a log. */
const logErrors = [
  'moduleInstanceNotFound',
  'monitorSourceNotFound',
  'monitorSourceNotConnected',
  'monitorSourceRefused',
  'cloudUnreachable',
] as const

/** Logs and metrics named by `ui` of a module instance. They are read from the cloud and not stored. */
export const cloudMonitorRoutes = {
  getModuleInstanceLogs: {
    operationId: 'getModuleInstanceLogs',
    method: 'GET',
    path: '/module-instances/{id}/logs',
    tag: 'AwsCloudWatch',
    summary: 'Read a log of a module instance, newest lines first',
    permission: 'module-instances:read',
    params: IdParams,
    query: Type.Object(
      {
        limit: pageParams.limit,
        cursor: pageParams.cursor,
        ...moduleInstanceLogParams,
        startTime: moment(
          'Start of the time range, inclusive. Defaults to one hour before `endTime`. The range is at most 31 days.',
        ),
        endTime: moment('End of the time range, exclusive. Defaults to now.'),
      },
      { additionalProperties: false },
    ),
    response: [200, ModuleInstanceLogPage],
    errors: ['cursorInvalid', ...logErrors],
  },
  streamModuleInstanceLogs: {
    operationId: 'streamModuleInstanceLogs',
    method: 'GET',
    path: '/module-instances/{id}/logs/stream',
    tag: 'AwsCloudWatch',
    summary: 'Stream a log of a module instance',
    permission: 'module-instances:read',
    params: IdParams,
    query: Type.Object(moduleInstanceLogParams, { additionalProperties: false }),
    response: [
      200,
      Type.String({
        description:
          'Server-sent events. Each event has a log line as its data, oldest first, starting now or after the event in the `Last-Event-ID` header. The event `trouble` has an error as its data: the log cannot be read now, and Sluice retries. The event `end` means that the log no longer exists.',
      }),
    ],
    responseType: 'text/event-stream',
    errors: logErrors,
  },
  getModuleInstanceMetrics: {
    operationId: 'getModuleInstanceMetrics',
    method: 'GET',
    path: '/module-instances/{id}/metrics',
    tag: 'AwsCloudWatch',
    summary: 'Read metrics of a module instance',
    permission: 'module-instances:read',
    params: IdParams,
    query: Type.Object(
      {
        metricId: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
            maxItems: 50,
            description:
              'IDs of metrics in `ui` of the module instance. Repeat the parameter for several metrics. Defaults to all.',
          }),
        ),
        startTime: moment('Start of the time range, inclusive. Defaults to three hours before `endTime`.'),
        endTime: moment('End of the time range, exclusive. Defaults to now.'),
        periodSeconds: Type.Optional(
          Type.Integer({
            minimum: 60,
            maximum: 86_400,
            multipleOf: 60,
            description:
              'Interval between data points in seconds. Defaults to the shortest interval with at most 300 points. More than 1,440 points are rejected.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    response: [200, ModuleInstanceMetrics],
    errors: ['moduleInstanceNotFound', 'monitorSourceNotFound'],
  },
} as const satisfies RouteTable
