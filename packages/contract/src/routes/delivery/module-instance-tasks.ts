import { Type } from 'typebox'
import { ModuleInstanceTaskLog, ModuleInstanceTasks } from '../../delivery/module-instance-task.ts'
import { dataOf } from '../../values/envelope.ts'
import { IdParams } from '../../values/ids.ts'
import type { RouteTable } from '../route.ts'

/** What a module instance runs as, as the cloud has it at this moment. Nothing of it is kept here. */
export const moduleInstanceTaskRoutes = {
  listModuleInstanceTasks: {
    operationId: 'listModuleInstanceTasks',
    method: 'GET',
    path: '/module-instances/{id}/tasks',
    tag: 'ModuleInstances',
    summary: 'List what a module instance runs as now: tasks, machines or versions, and what stopped within the hour',
    needs: 'module-instances:read',
    params: IdParams,
    reply: [200, ModuleInstanceTasks],
    refuses: ['moduleInstanceNotFound'],
  },
  getModuleInstanceTaskLog: {
    operationId: 'getModuleInstanceTaskLog',
    method: 'GET',
    path: '/module-instances/{id}/task-log',
    tag: 'ModuleInstances',
    summary: 'Read what one task of a module instance wrote last',
    needs: 'module-instances:read',
    params: IdParams,
    query: Type.Object(
      {
        task: Type.String({
          pattern: '^[0-9a-f-]{32,36}$',
          examples: ['0123456789abcdef0123456789abcdef'],
          description: 'The id of the task.',
        }),
      },
      { additionalProperties: false },
    ),
    reply: [200, dataOf(ModuleInstanceTaskLog)],
    refuses: ['moduleInstanceNotFound'],
  },
} as const satisfies RouteTable
