import { Type } from 'typebox'
import { AppliedFiles, RecordAppliedFiles } from '../../interface/applied-files.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import type { RouteTable } from '../route.ts'

export const appliedFilesRoutes = {
  getAppliedFiles: {
    operationId: 'getAppliedFiles',
    method: 'GET',
    path: '/projects/{id}/files',
    tag: 'Projects',
    summary: 'Get the resources of a project that are managed by files, and changes made outside of the files',
    permission: 'projects:read',
    params: IdParams,
    query: Type.Object(
      { recordId: Type.Optional({ ...Id, description: 'Filters by resource.' }) },
      { additionalProperties: false },
    ),
    response: [200, dataOf(AppliedFiles)],
    errors: ['projectNotFound'],
  },
  recordAppliedFiles: {
    operationId: 'recordAppliedFiles',
    method: 'POST',
    path: '/projects/{id}/files',
    tag: 'Projects',
    summary: 'Record which resources of a project were applied from files',
    permission: 'module-instances:write',
    on: { params: { id: 'projects' } },
    params: IdParams,
    body: dataOf(RecordAppliedFiles),
    response: [200, dataOf(AppliedFiles)],
    errors: ['projectNotFound'],
  },
} as const satisfies RouteTable
