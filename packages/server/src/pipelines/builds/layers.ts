import type { RunTrigger } from '../pipelines/tables.ts'

/**
 * Which layers a build of an image may use again: a name, within the organization. Who writes a Dockerfile can make a
 * layer that looks like another one's, so that only those share them who are trusted alike: a branch and a pull request
 * have their own, beside those of runs that people and schedules start. Undefined for what another run has set off, of
 * which nobody knows whose commits it builds.
 */
export function layersOf(moduleInstanceId: string, trigger: RunTrigger | null): string | undefined {
  const { code_source_id: codeSourceId, branch, number, preview_environment_id: preview } = trigger?.payload ?? {}
  switch (trigger?.kind) {
    case undefined:
    case 'manual':
    case 'schedule':
      return moduleInstanceId
    case 'push':
      if (typeof preview === 'string') return `${moduleInstanceId} preview ${preview}`
      return `${moduleInstanceId} ${typeof branch === 'string' ? `branch ${codeSourceId} ${branch}` : 'tags'}`
    case 'pull_request':
      return `${moduleInstanceId} pull request ${codeSourceId} ${number}`
    case 'pipeline':
      return undefined
  }
}
