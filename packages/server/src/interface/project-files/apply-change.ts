import { randomUUID } from 'node:crypto'
import { ApiError, type Retry, retrying } from '@sluice/client'
import type { ProjectDocument } from '@sluice/contract'
import type { Applied, ApplyContext } from './kind.ts'
import { keyOf, kindOf } from './kinds.ts'
import type { Change } from './plan.ts'
import { readProject } from './read-project.ts'

/** Dependencies of applying changes; `retry` limits the time for which the service may be unavailable. */
export type ApplyParts = Omit<ApplyContext, 'once' | 'findExisting'> & { retry: Retry }

/** Applies a change in the service. Repeats calls while the service is unavailable; no call takes effect twice. */
export function applyChange(change: Change, { retry, ...parts }: ApplyParts): Promise<Applied> {
  const key = randomUUID()
  const once = (call: string) => ({ idempotencyKey: `${key}-${call}` })
  const findExisting = (document: ProjectDocument) => existingRecord(document, parts)
  return retrying(() => applyOnce(change, { ...parts, once, findExisting }), retry)
}

async function applyOnce({ action, document, key, fields, id = '' }: Change, context: ApplyContext): Promise<Applied> {
  const kind = kindOf(document)
  if (action === 'remove') {
    await kind.remove?.(id, context).catch(ignoreNotFound)
    return { id }
  }
  if (action === 'change') {
    const updated = await kind.update?.(id, document, new Set(fields), context)
    return isRun(updated) ? { id, runId: updated.runId } : { id }
  }
  const created = await kind.create(document, context)
  context.state.ids.set(key, created.id)
  return created
}

const isRun = (value: unknown): value is { runId: string } =>
  typeof value === 'object' && value !== null && 'runId' in value && typeof value.runId === 'string'

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error
}

/** Rules and channels have no unique name in the service: someone may have created the same one meanwhile. */
async function existingRecord(
  document: ProjectDocument,
  { client, project }: Pick<ApplyParts, 'client' | 'project'>,
): Promise<Applied | undefined> {
  const { records } = await readProject(client, project, { kinds: new Set([document.kind]), documents: [] })
  const existing = records.get(keyOf(document))
  return existing && { id: existing.id }
}
