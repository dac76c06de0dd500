import { type Artifact, routes } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { missing } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { deployInputsOf } from './deploy-inputs.ts'
import { locationOf } from './location.ts'
import { findArtifact, listArtifacts } from './store.ts'
import type { ArtifactRow } from './tables.ts'

export function serveArtifacts(app: App, { openPage }: { openPage: OpenPage }): void {
  handle(app, routes.listArtifacts, async ({ query, caller, db }) => {
    const page = openPage(routes.listArtifacts, caller, query)
    return page.reply(await listArtifacts(db, caller.organizationId, query, page), toWire)
  })

  handle(app, routes.getArtifact, async ({ params, caller, db }) => {
    const artifact = await findArtifact(db, caller.organizationId, params.id)
    if (!artifact) throw missing('artifactNotFound', 'artifact', params.id)
    return { data: toWire(artifact) }
  })
}

const toWire = (row: ArtifactRow): Artifact =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    projectId: row.projectId,
    environmentId: row.environmentId,
    moduleInstanceId: row.moduleInstanceId,
    pipelineRunId: row.pipelineRunId,
    stepExecutionId: row.stepExecutionId,
    kind: row.kind,
    location: locationOf(row),
    deployInputs: deployInputsOf(row),
    commit: row.commit ?? undefined,
    contentKey: row.contentKey,
    digest: row.digest,
    sizeBytes: row.sizeBytes,
    fileCount: row.fileCount,
    buildSeconds: row.buildSeconds,
  })
