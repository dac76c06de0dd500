import { Type } from 'typebox'
import { AppliedFiles, NoteAppliedFiles } from '../../interface/applied-files.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import type { RouteTable } from '../route.ts'

export const appliedFilesRoutes = {
  getAppliedFiles: {
    operationId: 'getAppliedFiles',
    method: 'GET',
    path: '/projects/{id}/files',
    tag: 'Projects',
    summary: 'What of a project is managed by files, and what was changed otherwise since they were applied',
    needs: 'projects:read',
    params: IdParams,
    query: Type.Object(
      { recordId: Type.Optional({ ...Id, description: 'Only this record.' }) },
      { additionalProperties: false },
    ),
    reply: [200, dataOf(AppliedFiles)],
    refuses: ['projectNotFound'],
  },
  noteAppliedFiles: {
    operationId: 'noteAppliedFiles',
    method: 'POST',
    path: '/projects/{id}/files',
    tag: 'Projects',
    summary: 'Say what of a project was just made what its files say',
    needs: 'module-instances:write',
    on: { params: { id: 'projects' } },
    params: IdParams,
    body: dataOf(NoteAppliedFiles),
    reply: [200, dataOf(AppliedFiles)],
    refuses: ['projectNotFound'],
  },
} as const satisfies RouteTable
