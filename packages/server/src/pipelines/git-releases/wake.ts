import type { Message } from '../../platform/engine/messages.ts'

/** The engine's object, keyed by environment id: what a host shows of one environment is told one after the other. */
export const gitReleaseService = 'git-release'

export type Tell = { ids: string[] }

export function gitReleaseMessages(rows: { id: string; environmentId: string }[]): Message[] {
  const byEnvironment = Map.groupBy(rows, ({ environmentId }) => environmentId)
  return [...byEnvironment].map(([key, some]) => ({
    service: gitReleaseService,
    key,
    handler: 'tell',
    payload: { ids: some.map(({ id }) => id) } satisfies Tell,
  }))
}
