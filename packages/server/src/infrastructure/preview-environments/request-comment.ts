import { openRepository } from '../../git/code-sources/open.ts'
import { failureOf } from '../../git/code-sources/report-failure.ts'
import { findCodeSource } from '../../git/code-sources/store.ts'
import { uisOf } from '../../modules/module-instances/wire.ts'
import type { Db } from '../../platform/db/open.ts'
import { commentOf, type Link } from './comment.ts'
import { retryAfter } from './machine.ts'
import type { PreviewParts } from './reconcile.ts'
import { findPreviewOf, instancesIn, saveCommentResult } from './store.ts'
import type { PreviewRow } from './tables.ts'

/** Maximum number of retries, over more than a day. After that, the comment is updated with the next change. */
const maxFailures = 8

/** Updates the pull request's comment with the state of its preview environment, if it changed. */
export async function updateRequestComment(parts: PreviewParts, id: string): Promise<void> {
  const { db, clock, log } = parts
  const preview = await findPreviewOf(db, id)
  if (!preview || isUnheardOf(preview)) return
  const source = await findCodeSource(db, preview.organizationId, preview.codeSourceId)
  if (!source || source.auth.kind === 'none') return
  const comment = commentOf(preview, await linksOf(db, preview, parts.linkTo))
  const now = clock()
  if (comment.text === preview.told || (preview.tellAt !== null && preview.tellAt > now)) return
  const trouble = await failureOf(async () => {
    const repository = await openRepository(db, parts, source)
    await repository.upsertComment(preview.number, comment)
  })
  if (!trouble) return saveCommentResult(db, preview, { told: comment.text, tellFailures: 0, tellAt: null })
  const tellFailures = preview.tellFailures + 1
  const isGivenUp = trouble.afterMs === undefined || tellFailures >= maxFailures
  log.info(
    { previewEnvironmentId: id, isGivenUp, reason: trouble.message },
    'the preview could not be reported on a pull request',
  )
  if (isGivenUp) return saveCommentResult(db, preview, { told: comment.text, tellFailures: 0, tellAt: null })
  await saveCommentResult(db, preview, { tellFailures, tellAt: retryAfter(tellFailures, now) })
}

/** Reports whether the environment ended before any comment was written. */
const isUnheardOf = ({ told, status }: PreviewRow): boolean => told === null && status === 'DESTROYED'

/** Returns links to the outputs of its modules, to the environment, and to the run that created it. */
async function linksOf(db: Db, preview: PreviewRow, linkTo: (page: string) => string): Promise<Link[]> {
  const { organizationId, projectId, environmentId, pipelineRunId } = preview
  if (environmentId === null) return []
  const rows = await instancesIn(db, organizationId, environmentId)
  const uis = await uisOf(db, organizationId, rows)
  const ofModules = rows.flatMap(({ id, givenId }) =>
    (uis.get(id)?.links ?? []).map(({ name, href }) => ({ label: `${givenId}: ${name}`, url: href })),
  )
  const run = pipelineRunId === null ? [] : [{ label: 'The run of its pipeline', url: linkTo(`runs/${pipelineRunId}`) }]
  const page = { label: 'The preview environments of the project', url: linkTo(`projects/${projectId}`) }
  return [...ofModules, page, ...run]
}
