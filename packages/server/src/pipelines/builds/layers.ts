import type { RunTrigger } from '../pipelines/tables.ts'

/**
 * Returns the name of the layer cache that an image build may use, within its organization. A Dockerfile can forge
 * layers, so only equally trusted builds share them: each branch and pull request has its own, apart from runs of users
 * and schedules. Returns undefined for a run that another run started, because its commits are unknown.
 */
export function layerCacheOf(moduleInstanceId: string, trigger: RunTrigger | null): string | undefined {
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
