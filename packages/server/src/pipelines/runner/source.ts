import type { FailureKey } from '@sluice/contract'
import type { OrderedSource } from '@sluice/contract/runner-protocol'
import { findCodeSource } from '../../git/code-sources/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Source } from '../pipeline-versions/config/source.ts'
import { StepFailure } from './step-failure.ts'

/**
 * Returns the source with the address of its repository.
 * @throws {StepFailure} `whenMissing` if there is no repository
 */
export async function sourceOf(
  db: Db,
  organizationId: string,
  given: Source,
  whenMissing: FailureKey,
): Promise<OrderedSource> {
  const basePath = given.base_path ?? '.'
  if ('files' in given) return { files: given.files, basePath }
  const ref = given.ref ?? undefined
  if ('repo' in given) return { url: given.repo, ref, basePath }
  const { code_source_id: codeSourceId } = given
  const source = await findCodeSource(db, organizationId, codeSourceId)
  if (source) return { url: source.repoUrl, ref: ref ?? source.defaultBranch ?? undefined, codeSourceId, basePath }
  throw new StepFailure(whenMissing, `The organization has no code source ${codeSourceId}.`)
}
