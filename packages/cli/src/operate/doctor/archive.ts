import { openArchive } from '@sluice/server/cloud/adapter/archive'
import { expectUsable } from '@sluice/server/platform/archive/archive'
import type { Config } from '@sluice/server/platform/config/settings'
import { type Finding, finding, ok, problem } from './finding.ts'

/** Checks that the archive stores and returns an object. */
export async function examineArchive(config: Config): Promise<Finding[]> {
  if (!config.roles.includes('api') && !config.roles.includes('worker')) return []
  const archive = openArchive(config)
  return archive ? [await finding('archive', () => examineUse(archive))] : []
}

async function examineUse(archive: NonNullable<ReturnType<typeof openArchive>>) {
  try {
    await expectUsable(archive)
    return ok(archive.place)
  } catch (error) {
    return problem(
      error instanceof Error ? error.message : String(error),
      'The service must be able to write, read and remove there: docs/reference/production.md, The archive.',
    )
  } finally {
    archive.close()
  }
}
