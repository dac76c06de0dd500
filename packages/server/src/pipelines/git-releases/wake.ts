import type { Message } from '../../platform/engine/messages.ts'

/**
 * Name of the engine object for reports of releases, keyed by environment id to serialize the reports of an
 * environment.
 */
export const gitReleaseService = 'git-release'

export type ReportRequest = { ids: string[] }

export function gitReleaseMessages(rows: { id: string; environmentId: string }[]): Message[] {
  const byEnvironment = Map.groupBy(rows, ({ environmentId }) => environmentId)
  return [...byEnvironment].map(([key, some]) => ({
    service: gitReleaseService,
    key,
    handler: 'tell',
    payload: { ids: some.map(({ id }) => id) } satisfies ReportRequest,
  }))
}
