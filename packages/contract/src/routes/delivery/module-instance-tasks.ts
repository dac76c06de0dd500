import { Type } from 'typebox'
import { ModuleInstanceTaskLog, ModuleInstanceTasks } from '../../delivery/module-instance-task.ts'
import { dataOf } from '../../values/envelope.ts'
import { IdParams } from '../../values/ids.ts'
import type { RouteTable } from '../route.ts'

/** Running units of a module instance, read from the cloud and not stored. */
export const moduleInstanceTaskRoutes = {
  listModuleInstanceTasks: {
    operationId: 'listModuleInstanceTasks',
    method: 'GET',
    path: '/module-instances/{id}/tasks',
    tag: 'ModuleInstances',
    summary: 'List what a module instance runs now, and what stopped within the last hour',
    permission: 'module-instances:read',
    params: IdParams,
    response: [200, ModuleInstanceTasks],
    errors: ['moduleInstanceNotFound'],
  },
  getModuleInstanceTaskLog: {
    operationId: 'getModuleInstanceTaskLog',
    method: 'GET',
    path: '/module-instances/{id}/task-log',
    tag: 'ModuleInstances',
    summary: 'Read the end of the log of a task',
    permission: 'module-instances:read',
    params: IdParams,
    query: Type.Object(
      {
        task: Type.String({
          pattern: '^[0-9a-f-]{32,36}$',
          examples: ['0123456789abcdef0123456789abcdef'],
          description: 'ID of the task.',
        }),
      },
      { additionalProperties: false },
    ),
    response: [200, dataOf(ModuleInstanceTaskLog)],
    errors: ['moduleInstanceNotFound'],
  },
} as const satisfies RouteTable
